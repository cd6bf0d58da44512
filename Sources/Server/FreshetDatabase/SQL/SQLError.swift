// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An error of the database.
package struct SQLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The meaning of an error for the caller.
    package enum Kind: Equatable, Sendable {
        /// The error may be temporary: a full disk, a lock, a lost connection.
        case transient
        /// A row has a value that no version of this server wrote.
        case damaged
        /// The statement does not fit the tables or their contents.
        case other
    }

    package var kind: Kind
    /// The database's code of the error.
    var code: String
    var message: String

    package init(kind: Kind, code: String, message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    package var description: String { "\(code): \(message)" }

    static func damaged(_ what: String) -> SQLError { SQLError(kind: .damaged, code: "damaged", message: what) }
}
