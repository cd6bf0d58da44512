// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An error that keeps a server from starting, with a description for the operator.
package protocol StartupError: Error, Sendable, CustomStringConvertible {
    /// The cause of the error: a setting, or the data of the server.
    var cause: StartupErrorCause { get }
    /// The name of the refused setting, if the description does not name it; `nil` by default.
    var setting: String? { get }
}

extension StartupError {
    package var setting: String? { nil }
}

/// The part of a server that an operator has to correct before the server starts.
package enum StartupErrorCause: Equatable, Sendable {
    /// A setting, on the command line, in the environment or in a file.
    case setting
    /// A file, a folder or the database.
    case storage
}
