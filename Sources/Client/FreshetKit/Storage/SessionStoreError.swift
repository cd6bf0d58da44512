// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a store can neither give nor take a record now.
///
/// It never means that there is none.
public struct SessionStoreError: Error, Sendable, Equatable {
    /// A category of store errors.
    @nonexhaustive
    public enum Kind: String, Sendable {
        /// It may go away by itself: a locked device, a busy lock, no bus.
        case locked
        /// Rights, owners or links are not as they must be, or the system permits no file there: it does not pass by itself.
        case denied
        /// The stored bytes are no record. Only an explicit sign-in or sign-out replaces them.
        case damaged
        /// A record that a newer version of the app wrote, and that this one cannot read.
        ///
        /// It stays for the newer version. Only an explicit sign-in or sign-out replaces it.
        case newerVersion
        /// A sound record that belongs to another server.
        case foreign
        /// The folder that held it is not there any more: its volume was unmounted, or it was removed. It passes when the
        /// folder is back; an explicit sign-in makes a new one.
        case missing
        /// The system failed to read or write.
        case failed
    }

    /// The category of the error.
    public var kind: Kind
    /// A description of the error, without secrets.
    public var reason: String

    /// Creates an error of a category.
    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Whether an explicit sign-in or sign-out may put a new record in the place of what cannot be read.
    var mayBeOverwritten: Bool { needsSignIn || kind == .newerVersion || kind == .missing }

    /// Whether only a sign-in helps: a newer version of the app, or the folder that comes back, can read the others.
    var needsSignIn: Bool { kind == .damaged || kind == .foreign }
}
