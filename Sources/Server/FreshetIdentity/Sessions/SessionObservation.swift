// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
package import FreshetEngine
package import FreshetWire

/// A committed change of sessions, or a decision on a presented token, for a check of the decisions against PROTOCOL.md.
///
/// A server has no observer; `Models/trace.py` checks the observations of a simulation.
package enum SessionObservation: Sendable {
    /// A sign-in stored a session, or its lost response was repeated for the unused session.
    case opened(SessionRow)
    /// A presented token was evaluated, and the new row was committed.
    case decided(Decision)
    /// The connection to the database was lost while a decision was written, or its flush failed: it may be committed.
    ///
    /// After a failed flush a commit is visible, and a power failure may undo it.
    case undetermined(Decision, hasFlushFailed: Bool)
    /// Sessions were ended by a request without their refresh token.
    case ended([SessionID], EndReason, at: Timestamp)

    /// A presented token, and the decision on its session's row.
    package struct Decision: Sendable {
        package let operation: TokenRequest.Operation
        package let token: RefreshToken
        /// The hash of the intent that a refresh was sent with.
        package let intent: IntentHash?
        /// The row that the decision was made from.
        package let before: SessionRow
        /// The outcome, and the committed row; its `row` is `nil` if nothing was written.
        package let decision: RotationDecision
        /// The idle lifetime of the session's contract.
        package let idleLifetime: Duration
        package let clock: ClockReading
        /// The key that the server used for new tokens.
        package let currentKeyID: UInt8
    }
}

/// Receives observations; those of one session's decisions arrive in the order of their commits.
package typealias SessionObserver = @Sendable (SessionObservation) -> Void

extension SessionRegistry {
    /// Passes a decision to the observer.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - change: The decision, and the row that it was made from.
    ///   - failure: The error that leaves open whether it was committed; `nil` if it was.
    func observe(_ attempt: TokenAttempt, _ change: TokenAttempt.Outcome?, failure: SQLError? = nil) {
        guard let observer, let change else { return }
        let decision = SessionObservation.Decision(
            operation: attempt.request.operation,
            token: attempt.token,
            intent: attempt.intent.map { IntentHash($0) },
            before: change.before,
            decision: change.decision,
            idleLifetime: attempt.lifetimes.of(change.before.contract).idle,
            clock: attempt.clock,
            currentKeyID: attempt.keys.currentID
        )
        if let failure {
            observer(.undetermined(decision, hasFlushFailed: failure.isDiskFailure))
        } else {
            observer(.decided(decision))
        }
    }
}
