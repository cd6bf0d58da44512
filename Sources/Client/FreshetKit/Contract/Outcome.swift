// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

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

extension String {
    /// Returns the text without secrets: some backends repeat a token in their error.
    func hiding(_ secrets: [String]) -> String {
        secrets.reduce(self) { text, secret in
            guard !secret.isEmpty else { return text }
            // Bytes, as a character that combines with the last one of a token makes another character of it.
            var (rest, shown) = (Data(text.utf8), Data())
            while let range = rest.range(of: Data(secret.utf8)) {
                shown += rest[..<range.lowerBound] + Data("•••".utf8)
                rest = rest[range.upperBound...]
            }
            return String(decoding: shown + rest, as: UTF8.self)
        }
    }
}
