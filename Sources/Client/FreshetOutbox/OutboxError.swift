// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// Why the outbox could not do what was asked, cut by what the caller can do about it.
///
/// Nothing was put down then.
@nonexhaustive
public enum OutboxError: Error, Sendable, Equatable {
    /// Nobody is signed in, or nobody knows who: name the user, or ask for a sign-in.
    case noAccount
    /// The request cannot be kept: correct it.
    case unsupportedRequest(String)
    /// The request is larger than ``OutboxConfiguration/maximumItemBytes``.
    case tooLarge(bytes: Int)
    /// As much waits as may: try again when some of it was delivered, or dead letters were discarded.
    case full
    /// The folder cannot be read or written now, or the session's store gives no answer about who is signed in.
    ///
    /// Try again later, or name the user whose request it is.
    case storeUnavailable(SessionStoreError)
    /// There is no dead letter with this ID.
    case noSuchItem
    /// The items belong to a known user, or to another backend.
    case notAdoptable
}

extension OutboxError: CustomStringConvertible {
    /// What happened, in a sentence that holds no secret.
    public var description: String {
        switch self {
        case .noAccount: "Nobody is signed in whose item it would be."
        case .unsupportedRequest(let fault): "The request cannot be kept: \(fault)."
        case .tooLarge(let bytes): "The request is too large: \(bytes) bytes."
        case .full: "The outbox is full."
        case .storeUnavailable(let fault): "The outbox's folder or the session's store is unavailable: \(fault.reason)."
        case .noSuchItem: "There is no such dead letter."
        case .notAdoptable: "The items belong to a known user or to another backend."
        }
    }
}
