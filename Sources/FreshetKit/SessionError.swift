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
    case storeUnavailable(StoreUnavailable)
    /// The server refuses what the user entered: correct it.
    case refused(code: String, message: String?)
    /// The server wants the user to prove more before it goes on: ask for a sign-in. The session stays.
    case stepUpRequired
    /// The server, or the configuration, does not keep to the contract: a developer has to look.
    case contractFault(String)
    /// The calling task was cancelled. A refresh it waited for goes on for the others.
    case cancelled
}

extension SessionError {
    static let nothingToRefreshWith = SessionError.contractFault("this session has nothing to refresh with")
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
        case .refused(let code, let message): message.map { "\($0) (\(code))" } ?? "Refused: \(code)."
        case .stepUpRequired: "The server wants you to sign in again before it goes on."
        case .contractFault(let fault): "The server does not keep to the contract: \(fault)."
        case .cancelled: "Cancelled."
        }
    }
}
