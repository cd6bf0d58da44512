// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a store cannot read or write a record now.
///
/// It never means that there is no record.
public struct SessionStoreError: Error, Sendable, Equatable {
    /// A category of store errors.
    @nonexhaustive
    public enum Kind: String, Sendable {
        /// The condition may be temporary: a locked device, a busy lock, a missing bus.
        case locked
        /// Permissions, owners or links are invalid, or the system permits no file: a retry does not help.
        case denied
        /// The stored bytes are not a valid record. Only an explicit sign-in or sign-out replaces them.
        case damaged
        /// A newer version of the app wrote the record, and this version cannot read it.
        ///
        /// It is kept for the newer version. Only an explicit sign-in or sign-out replaces it.
        case newerVersion
        /// The record is valid, but belongs to another server.
        case foreign
        /// The store's folder no longer exists: its volume was unmounted, or it was deleted.
        ///
        /// The store is available again when the folder is; an explicit sign-in creates a new one.
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

    /// Whether an explicit sign-in or sign-out may replace a record that cannot be read.
    var mayBeOverwritten: Bool { needsSignIn || kind == .newerVersion || kind == .missing }

    /// Whether only a sign-in helps.
    ///
    /// Other records can be read by a newer version of the app, or when their folder is available again.
    var needsSignIn: Bool { kind == .damaged || kind == .foreign }
}
