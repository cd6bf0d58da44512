// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What an answer means to the session.
package enum Outcome: Equatable, Sendable {
    /// What was asked for; on the `api` channel: whatever else concerns only the caller.
    case delivered
    /// The access token is no longer accepted.
    case accessExpired
    /// Final: the session is over. The only outcome that signs a user out.
    case sessionEnded(SignOutReason)
    /// A newer generation was proved; no end by itself.
    case superseded
    /// What the user entered is refused.
    case refused(code: String, message: String?)
    /// The user has to prove more before this request; a refresh does not help.
    case stepUp
    /// Not allowed; a refresh does not help.
    case forbidden
    /// The server asks for patience.
    case throttled(retryAfter: Duration?)
    /// Nothing can be concluded; try again.
    case transient(retryAfter: Duration?)
    /// The server does not know what it is asked: a wrong base URL or contract.
    case misconfigured(String)
    /// The answer is not as the contract says.
    case contractViolation(String)
}
