// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One attempt to refresh.
public struct RefreshAttempt: Sendable, Equatable {
    /// Counted from 1 within the refresh.
    public var number: Int
    /// What came of it.
    public var outcome: Outcome
    /// How long it took.
    public var duration: Duration
    /// The status that it was answered with; `nil` if no answer came.
    public var status: Int?

    /// What an attempt brought.
    public enum Outcome: Sendable, Equatable {
        /// New tokens.
        case granted
        /// Another client had proved a newer generation.
        case superseded
        /// The session is over.
        case ended(SignOutReason)
        /// The server asks for patience.
        case throttled
        /// No answer, or one that says nothing.
        case unreachable
        /// The server wants the user to prove more.
        case stepUp
        /// An answer that does not fit the contract.
        case contractFault
    }
}

extension RefreshAttempt.Outcome {
    init(_ answer: TokenEndpoint.RefreshAnswer) {
        switch answer {
        case .granted: self = .granted
        case .other(.superseded): self = .superseded
        case .other(.sessionEnded(let reason)), .unverifiedEnd(let reason): self = .ended(reason)
        case .other(.throttled): self = .throttled
        case .other(.transient): self = .unreachable
        case .other(.stepUp): self = .stepUp
        case .other: self = .contractFault
        }
    }
}
