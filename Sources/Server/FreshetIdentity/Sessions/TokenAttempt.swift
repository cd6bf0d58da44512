// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetWire

/// A ``TokenRequest`` in progress, with the time, keys and policy by which its session is evaluated.
struct TokenAttempt: Sendable {
    /// The database's result: the row before the change, and the engine's decision on it.
    typealias Outcome = (before: SessionRow, decision: RotationDecision)
    typealias Change = SessionChange<Outcome>

    let request: TokenRequest
    let intent: Intent?
    /// The reason for which the session has ended, if this server knew of its end before the request.
    ///
    /// If the row is active nevertheless, the database has lost the commit, as a standby that was promoted.
    let knownEnd: EndReason?
    let clock: ClockReading
    let keys: TokenKeyRing
    let policy: RotationPolicy
    let lifetimes: SessionLifetimes
    let start = ContinuousClock.now

    var token: RefreshToken { request.token }
    var name: String { request.operation.name }
    var now: Timestamp { clock.now }

    /// Returns the change to a row that the request causes.
    ///
    /// It is a pure function: the database may call it several times, and discards a change that conflicts with another
    /// one.
    func change(to row: SessionRow) -> Change {
        let decision = decision(on: row)
            .recording(row, generation: token.generation, from: request.source, at: now)
        return SessionChange(
            value: (before: row, decision: decision),
            row: decision.row,
            record: decision.endedStreak.map { AuditEvent($0, of: row) },
            mustBeDurable: decision.mustBeDurable,
            dependsOnEarlierCommits: row.ending != nil || decision.isRepeated
        )
    }

    private func decision(on row: SessionRow) -> RotationDecision {
        var policy = policy
        policy.idleLifetime = lifetimes.of(row.contract).idle
        policy.isClockTrusted = clock.isTrusted
        policy.isWindowTrusted = clock.isWindowTrusted
        if !clock.isTrusted { policy.clockUncertainty = clock.latest - clock.now }
        switch request.operation {
        case .refresh:
            let decision = policy.refresh(row, token: token, intent: intent, now: now, keys: keys)
            // The holder of a forged token must not learn at which endpoint the session is refreshed.
            switch decision.answer {
            case .refused(.forged), .refused(.keyUnavailable), .refused(.unsupportedMode): return decision
            default:
                let refusal = request.endpoint.refusal(to: row, hasIntent: intent != nil)
                if let refusal { return RotationDecision(.refused(refusal)) }
                return knownEnd.map { policy.endAgain(row, decision, $0, now: now) } ?? decision
            }
        case .confirm: return policy.confirm(row, token: token, now: now, keys: keys)
        case .report: return policy.report(row, token: token, now: now, keys: keys)
        case .logout:
            let decision = policy.logout(row, token: token, now: now, keys: keys)
            guard decision.answer == .recorded, let refusal = request.endpoint.logoutRefusal(to: row) else {
                return decision
            }
            return RotationDecision(.refused(refusal))
        }
    }
}
