// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why an operation counts as an operator's.
package enum OperatorAuthority: Sendable {
    /// A command on the machine: its user can read the data folder, or connect to the database.
    case command
    /// A browser at the operators' pages, which must be signed in when the operation is executed.
    case page(isSignedIn: @Sendable () throws -> Bool)

    /// None: for what only reads.
    case readOnly

    /// The operator's browser was signed out since its request arrived.
    package struct SignedOut: Error {}

    package func require() throws {
        switch self {
        case .command: return
        case .readOnly: throw SignedOut()
        case .page(let isSignedIn): guard try isSignedIn() else { throw SignedOut() }
        }
    }
}
