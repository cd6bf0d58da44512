// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that an operation of a session failed, by the action that the caller can take.
@nonexhaustive
public enum SessionError: Error, Sendable, Equatable {
    /// The user is not signed in: ask for a sign-in. The reason is `nil` if no user ever signed in.
    case signedOut(SignOutReason?)
    /// The server cannot be reached or requires a delay. The session is intact: retry later.
    case offline(retryAfter: Duration?)
    /// The session store cannot be read or written now. The user stays signed in.
    case storeUnavailable(SessionStoreError)
    /// The stored session cannot be used: it is damaged, or belongs to another server (a changed base URL).
    ///
    /// Ask for a sign-in, which replaces it. An unreadable file is kept next to the new one; a session of another
    /// server is signed out there if the app uses that server again.
    case recordUnusable(SessionStoreError)
    /// The server rejected the user's input: correct it.
    case refused(code: String, message: String?)
    /// The server requires stronger authentication first: ask for a sign-in. The session is kept.
    case stepUpRequired
    /// The server's response, or the configuration, violates the contract: a developer has to fix it.
    case contractFault(String)
    /// The contract has no endpoint for the operation; server and session are fine.
    case unsupported(UnsupportedOperation)
    /// The calling task was cancelled. A refresh that it waited for continues for other callers.
    case cancelled
}

extension SessionError {
    /// The error for a store's failure: retry later, or ask for a sign-in.
    init(_ fault: SessionStoreError) {
        self = fault.needsSignIn ? .recordUnusable(fault) : .storeUnavailable(fault)
    }
}

extension SessionError: CustomStringConvertible {
    /// A description of the error, without secrets.
    public var description: String {
        switch self {
        case .signedOut(nil): "No user is signed in."
        case .signedOut(let reason?): "Signed out. \(reason)"
        case .offline(nil): "The server cannot be reached now."
        case .offline(let delay?): "The server cannot be reached now; it can be retried in \(delay.formattedSeconds) s."
        case .storeUnavailable(let fault): "The session's store is unavailable: \(fault.reason)."
        case .recordUnusable(let fault): "The stored session cannot be used: \(fault.reason). Sign in again."
        case .refused(let code, let message): message.map { "\($0) (\(code))" } ?? "Refused: \(code)."
        case .stepUpRequired: "The server requires a new sign-in for this request."
        case .contractFault(let fault): "The server's response or the configuration violates the contract: \(fault)."
        case .unsupported(let operation): operation.description
        case .cancelled: "Cancelled."
        }
    }
}
