// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// The reason that an operation of the outbox failed, by the action that the caller can take.
///
/// Nothing was stored then.
@nonexhaustive
public enum OutboxError: Error, Sendable, Equatable {
    /// The user is not signed in, or unknown: name the user, or ask for a sign-in.
    case noAccount
    /// The request cannot be stored: correct it.
    case unsupportedRequest(String)
    /// The request is larger than ``OutboxConfiguration/maximumItemBytes``.
    case tooLarge(bytes: Int)
    /// The outbox is full: retry after items have been delivered or dead letters discarded.
    case full
    /// The folder, or the session's store with the current user, cannot be read or written now.
    ///
    /// Retry later, or name the request's user.
    case storeUnavailable(SessionStoreError)
    /// There is no dead letter with this ID.
    case noSuchItem
    /// The items belong to a known user, or to another backend.
    case notAdoptable
}

extension OutboxError: CustomStringConvertible {
    /// A description of the error, without secrets.
    public var description: String {
        switch self {
        case .noAccount: "No user is signed in to own the request."
        case .unsupportedRequest(let fault): "The request cannot be stored: \(fault)."
        case .tooLarge(let bytes): "The request is too large: \(bytes) bytes."
        case .full: "The outbox is full."
        case .storeUnavailable(let fault): "The outbox's folder or the session's store is unavailable: \(fault.reason)."
        case .noSuchItem: "There is no such dead letter."
        case .notAdoptable: "The items belong to a known user or to another backend."
        }
    }
}
