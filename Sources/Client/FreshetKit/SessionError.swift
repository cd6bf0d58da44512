// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why the session could not do what was asked, cut by what the caller can do about it.
@nonexhaustive
public enum SessionError: Error, Sendable, Equatable {
    /// Nobody is signed in: ask for a sign-in. `nil` if nobody ever was.
    case signedOut(SignOutReason?)
    /// The server cannot be reached or asks for patience: the session is intact, try later.
    case offline(retryAfter: Duration?)
    /// The session's place of rest cannot be read or written now. This is no sign-out.
    case storeUnavailable(SessionStoreError)
    /// What is stored cannot be used: it is damaged, or belongs to the session of another server (a changed base URL).
    ///
    /// Ask for a sign-in, which replaces it. A file that cannot be read is kept beside the new one; a session of another
    /// server is signed out there if this app asks that server again.
    case recordUnusable(SessionStoreError)
    /// The server refuses what the user entered: correct it.
    case refused(code: String, message: String?)
    /// The server wants the user to prove more before it goes on: ask for a sign-in. The session stays.
    case stepUpRequired
    /// The server, or the configuration, does not keep to the contract: a developer has to look.
    case contractFault(String)
    /// The contract has no endpoint for what was asked: neither server nor session is at fault.
    case unsupported(UnsupportedOperation)
    /// The calling task was cancelled. A refresh it waited for goes on for the others.
    case cancelled
}

extension SessionError {
    /// What a store's fault means to the caller: to wait, or to ask for a sign-in.
    init(_ fault: SessionStoreError) {
        self = fault.needsSignIn ? .recordUnusable(fault) : .storeUnavailable(fault)
    }
}

extension SessionError: CustomStringConvertible {
    /// What happened, in a sentence that holds no secret.
    public var description: String {
        switch self {
        case .signedOut(nil): "Nobody is signed in."
        case .signedOut(let reason?): "Signed out. \(reason)"
        case .offline(nil): "The server cannot be reached now."
        case .offline(let delay?): "The server cannot be reached now; it may in \(delay.formattedSeconds) s."
        case .storeUnavailable(let fault): "The session's store is unavailable: \(fault.reason)."
        case .recordUnusable(let fault): "What is stored cannot be used: \(fault.reason). Sign in again."
        case .refused(let code, let message): message.map { "\($0) (\(code))" } ?? "Refused: \(code)."
        case .stepUpRequired: "The server wants you to sign in again before it goes on."
        case .contractFault(let fault): "The server does not keep to the contract: \(fault)."
        case .unsupported(let operation): operation.description
        case .cancelled: "Cancelled."
        }
    }
}
