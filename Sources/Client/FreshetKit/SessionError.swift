// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that an operation of a session failed, by the action that the caller can take.
///
/// No error but ``signedOut(_:)`` and ``recordUnusable(_:)`` means that the user has to sign in again. No text contains
/// a secret.
@nonexhaustive
public enum SessionError: Error, Sendable, Equatable {
    /// No user is signed in, or the session has ended: ask for a sign-in.
    ///
    /// The reason is `nil` if no user ever signed in.
    case signedOut(SignOutReason?)
    /// The server cannot be reached or requires a delay: retry later. The session is intact.
    ///
    /// `retryAfter` is the time until the session's next attempt, if it is known. `failure` is `nil` if there was a
    /// response, such as 429, 503 or the page of a captive portal.
    case offline(retryAfter: Duration?, failure: ConnectionFailure? = nil)
    /// The session store cannot be read or written now: retry later. The user stays signed in.
    case storeUnavailable(SessionStoreError)
    /// The stored session cannot be used: it is damaged, or belongs to another base URL's server.
    ///
    /// Ask for a sign-in, which replaces it. An unreadable file is kept next to the new one; a session of another
    /// server is signed out there if the app uses that server again.
    case recordUnusable(SessionStoreError)
    /// The server rejected the user's input: show the message, and let the user correct the input.
    case refused(code: String, message: String?)
    /// The server requires stronger authentication first: ask for a sign-in. The session is kept.
    case stepUpRequired
    /// The app's configuration cannot work: a developer has to correct the app.
    ///
    /// Detected on this device, before a request is sent: a base URL that is not https, a host that must not receive
    /// the token, a missing value of the contract, tokens that cannot be tokens. A retry has the same result.
    case misconfigured(String)
    /// The server's response is not one that the contract describes: report it, and retry later.
    ///
    /// The session is intact. A developer has to correct the server, or the base URL and the contract if they belong to
    /// another server.
    case invalidResponse(String)
    /// The contract has no endpoint for the operation: offer another way. Server and session are fine.
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
        case .offline(let delay, let failure):
            (failure.map { "The server cannot be reached now: \($0)" } ?? "The server accepts no requests now")
                + "\(delay.map { "; it can be retried in \($0.formattedSeconds) s" } ?? "")."
        case .storeUnavailable(let fault): "The session's store is unavailable: \(fault.reason)."
        case .recordUnusable(let fault): "The stored session cannot be used: \(fault.reason). Sign in again."
        case .refused(let code, let message): message.map { "\($0) (\(code))" } ?? "Refused: \(code)."
        case .stepUpRequired: "The server requires a new sign-in for this request."
        case .misconfigured(let fault): "The configuration is wrong: \(fault)."
        case .invalidResponse(let fault): "The server's response violates the contract: \(fault)."
        case .unsupported(let operation): operation.description
        case .cancelled: "Cancelled."
        }
    }
}
