// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What the database could not do.
package struct SQLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What that means to whoever asked.
    package enum Kind: Equatable, Sendable {
        /// It may go well in a moment: a full disk, a lock, a connection that is lost.
        case transient
        /// A row holds what no version of this server wrote.
        case damaged
        /// The statement does not fit the tables, or what is in them.
        case other
    }

    package var kind: Kind
    /// What the database calls it.
    package var code: String
    package var message: String

    package var description: String { "\(code): \(message)" }

    static func damaged(_ what: String) -> SQLError { SQLError(kind: .damaged, code: "damaged", message: what) }
}
