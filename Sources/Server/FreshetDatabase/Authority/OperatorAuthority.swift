// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The basis on which an operator's operation is authorised.
package enum OperatorAuthority: Sendable {
    /// A command on the machine, by a user who can read the data folder or connect to the database.
    case command
    /// A browser on the operator pages, which must still be signed in when the operation is executed.
    case page(isSignedIn: @Sendable () throws -> Bool)

    /// No authority: for operations that only read.
    case readOnly

    /// The operator's browser was signed out after its request arrived.
    package struct SignedOut: Error {}

    func require() throws {
        switch self {
        case .command: return
        case .readOnly: throw SignedOut()
        case .page(let isSignedIn): guard try isSignedIn() else { throw SignedOut() }
        }
    }
}
