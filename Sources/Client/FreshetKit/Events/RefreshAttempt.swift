// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A refresh attempt.
public struct RefreshAttempt: Sendable, Equatable {
    /// The attempt's number within the refresh, from 1.
    public var number: Int
    /// The result.
    public var outcome: Outcome
    /// The duration of the attempt.
    public var duration: Duration
    /// The HTTP status of the response; `nil` without a response.
    public var status: Int?
    /// The reason that there is no response; `nil` with a response.
    public var failure: SessionError.ConnectionFailure?
    /// Whether only the status says that the session has ended, so that a second attempt confirms it.
    var isByStatusAlone = false
    /// Whether the response has a delay, such as `Retry-After`.
    var requestsPause = false

    /// The result of an attempt.
    public enum Outcome: Sendable, Equatable {
        /// New tokens.
        case granted
        /// Another client had already used a newer generation of the refresh token.
        case superseded
        /// The session has ended.
        case ended(SignOutReason)
        /// The server is rate limiting, or requires a delay.
        case throttled
        /// No response, or an inconclusive one.
        case unreachable
        /// The server requires stronger authentication first.
        case stepUp
        /// The request could not be created, and was not sent: the app's configuration is wrong.
        case misconfigured
        /// A response that violates the contract.
        case invalidResponse
    }
}

extension RefreshAttempt {
    init(number: Int, answer: TokenEndpoint.RefreshAnswer, duration: Duration) {
        self.init(number: number, outcome: Outcome(answer), duration: duration)
        switch answer {
        case .unverifiedEnd: isByStatusAlone = true
        case .other(.throttled(let delay)), .other(.transient(let delay)): requestsPause = delay != nil
        case .granted, .other: break
        }
    }
}

extension RefreshAttempt.Outcome {
    fileprivate init(_ answer: TokenEndpoint.RefreshAnswer) {
        switch answer {
        case .granted: self = .granted
        case .other(.superseded): self = .superseded
        case .other(.sessionEnded(let reason)), .unverifiedEnd(let reason): self = .ended(reason)
        case .other(.throttled): self = .throttled
        case .other(.transient): self = .unreachable
        case .other(.stepUp): self = .stepUp
        case .other(.invalidRequest): self = .misconfigured
        case .other: self = .invalidResponse
        }
    }
}
