// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The meaning of a response to the session.
package enum Outcome: Equatable, Sendable {
    /// The request succeeded; on the `api` channel, also every failure that concerns only the caller.
    case delivered
    /// The access token is no longer accepted.
    case accessExpired
    /// Final: the session has ended. The only outcome that signs a user out.
    case sessionEnded(SignOutReason)
    /// Another client has already used a newer generation; this alone does not end the session.
    case superseded
    /// The server rejected the user's input.
    case refused(code: String, message: String?)
    /// The request requires stronger authentication; a refresh does not help.
    case stepUp
    /// The request is not allowed; a refresh does not help.
    case forbidden
    /// The server is rate limiting, or requires a delay.
    case throttled(retryAfter: Duration?)
    /// The response is inconclusive: retry.
    case transient(retryAfter: Duration?)
    /// The request cannot be created: the configuration lacks a value, or has one that is not allowed.
    case invalidRequest(String)
    /// The server does not know the endpoint: a wrong base URL or contract.
    case misconfigured(String)
    /// The response violates the contract.
    case contractViolation(String)
}

extension Outcome {
    /// Returns the outcome with secrets removed from its texts: some backends repeat a token in their error.
    func hiding(_ secrets: [String]) -> Outcome {
        func hide(_ text: String) -> String {
            secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacing($1, with: "•••") }
        }
        switch self {
        case .misconfigured(let text): return .misconfigured(hide(text))
        case .contractViolation(let text): return .contractViolation(hide(text))
        case .refused(let code, let message): return .refused(code: hide(code), message: message.map(hide))
        default: return self
        }
    }
}
