// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import Logging

extension SessionRegistry {
    package typealias Decide = @Sendable (RotationPolicy, SessionRow, Timestamp) -> RotationDecision

    /// A refresh token that somebody shows, and what is asked for with it.
    package struct TokenPresentation: Sendable {
        /// The word for it: refresh, confirm, report or logout.
        package let call: String
        package let token: RefreshToken
        package let decide: Decide
        /// Where it comes from.
        package let source: SourceAddress?
        package let clock: ClockReading
        package var now: Timestamp { clock.now }
        fileprivate let policy: RotationPolicy
        fileprivate let lifetimes: SessionLifetimes
        package let start = ContinuousClock.now

        /// Says what becomes of a row.
        func evaluated(_ row: SessionRow) -> SessionChange<PresentationOutcome> {
            var policy = policy
            policy.idleLifetime = lifetimes.of(row.contract).idle
            policy.isClockTrusted = clock.isTrusted
            if !clock.isTrusted { policy.clockUncertainty = clock.latest - clock.now }
            let decision = decide(policy, row, now).recording(row, generation: token.generation, from: source, at: now)
            let applied = PresentationOutcome(
                answer: decision.answer,
                row: decision.row ?? row,
                before: row,
                hasEnded: decision.row?.ending != nil
            )
            let record = decision.endedStreak.map { AuditEvent($0, of: row) }
            return SessionChange(
                value: applied,
                row: decision.row,
                record: record,
                mustBeDurable: decision.mustBeDurable
            )
        }
    }

    /// What came of it.
    package struct PresentationOutcome: Sendable {
        package var answer: RotationOutcome
        package var row: SessionRow
        /// The row as it was.
        package var before: SessionRow
        var hasEnded: Bool

        /// The generations that the database should have known of: a refresh or a confirmation may prove the next one.
        var lostCommits: UInt64 {
            let (known, current) = (before.rotation.current, row.rotation.current)
            return current > known + 1 ? current - known - 1 : 0
        }

        /// - Throws: the error that says why a call that hands nothing out was not served.
        package func requireRecorded() throws(APIError) {
            guard case .recorded = answer else { throw APIError(answer) }
        }
    }

    func presentation(_ call: String, _ token: RefreshToken, _ decide: @escaping Decide) -> TokenPresentation {
        TokenPresentation(
            call: call,
            token: token,
            decide: decide,
            source: RequestTrace.current?.source,
            clock: clock.reading(),
            policy: policy,
            lifetimes: lifetimes
        )
    }

    /// Judges in one atomic step, and tells of it.
    package func present(_ presented: TokenPresentation) async throws -> PresentationOutcome {
        if let applied = try await presentSuperseded(presented) {
            tell(presented, applied, wasKnownStale: true)
            return applied
        }
        return try complete(presented, try await database.change(presented.token.session) { presented.evaluated($0) })
    }

    /// As ``present(_:)``, without a task that waits.
    ///
    /// - Parameters:
    ///   - presented: A token that was not found overtaken before.
    ///   - completion: Called where the database works, with what is to be settled.
    package func submit(
        _ presented: TokenPresentation,
        completion: @escaping @Sendable (Result<PresentationOutcome?, any Error>) -> Void
    ) {
        database.change(presented.token.session, { presented.evaluated($0) }, completion: completion)
    }

    /// Answers for a token that was found overtaken before, by a read alone; no turn among the writes is taken.
    ///
    /// - Returns: `nil` if there is something to be written after all.
    private func presentSuperseded(_ presented: TokenPresentation) async throws -> PresentationOutcome? {
        guard supersededTokens.mayContain(presented.token) else { return nil }
        return try await database.read { database in
            guard let row = try SessionTable.find(presented.token.session, in: database) else { return nil }
            let change = presented.evaluated(row)
            return change.row == nil ? change.value : nil
        }
    }

    /// Tells of what is on disk, before the answer leaves.
    ///
    /// - Throws: `invalidGrant` if there is no such session.
    package func complete(_ presented: TokenPresentation, _ applied: PresentationOutcome?) throws -> PresentationOutcome
    {
        let token = presented.token
        guard let applied else {
            log.notice("unknown session", metadata: ["by": "\(presented.call)", "session": "\(token.session)"])
            throw APIError(.invalidGrant, "no such session")
        }
        if applied.hasEnded, let reason = applied.row.ending?.reason {
            publishEnd(of: [token.session], applied.row.user, reason, at: presented.now)
        }
        if applied.lostCommits > 0 {
            lostCommits.record(
                applied.lostCommits,
                ["by": "\(presented.call)", "session": "\(token.session)"],
                to: log
            )
        }
        if applied.answer == .superseded { supersededTokens.insert(token) }
        if applied.answer == .refused(.keyUnavailable) {
            unknownKeys.report(token.body.keyID, at: presented.now, to: log)
        }
        tell(presented, applied)
        return applied
    }

    private func tell(_ presented: TokenPresentation, _ applied: PresentationOutcome, wasKnownStale: Bool = false) {
        let token = presented.token
        let outcome = applied.answer.name
        // Without interpolation, which every refresh would pay for.
        let metadata: Logger.Metadata = [
            "session": .string(token.session.description), "generation": .string(String(token.generation)),
            "outcome": .string(outcome),
        ]
        log.info(Logger.Message(stringLiteral: presented.call), metadata: metadata.naming(applied.row.contract))
        events.emit(
            .presented(
                ServerEvent.Presentation(
                    call: presented.call,
                    session: ServerEvent.SessionFacts(applied.before),
                    isInRun: applied.answer.isOrdinary,
                    generation: token.generation,
                    outcome: outcome,
                    hasEnded: applied.hasEnded,
                    wasKnownStale: wasKnownStale,
                    lostCommits: applied.lostCommits,
                    at: presented.now,
                    duration: ContinuousClock.now - presented.start
                )
            )
        )
    }

    /// For calls that hand nothing out.
    package func note(_ call: String, _ token: RefreshToken, _ decide: @escaping Decide) async throws {
        try await present(presentation(call, token, decide)).requireRecorded()
    }
}
