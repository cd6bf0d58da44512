// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// Evaluates a presented refresh token: PROTOCOL.md as a pure function.
///
/// It uses no clock and no store. The caller must read the row and apply the decision to it atomically: with a separate
/// read and write, the model violates the protocol's properties (`Models/confirmed.pml`, `A_NONATOMIC`).
package struct RotationPolicy: Sendable {
    /// The window W of plain mode, in which races, quick retries and late duplicates are tolerated.
    package static let window = ClockReading.window
    /// The idle lifetime of a session; every refresh extends it.
    package var idleLifetime: Duration
    /// The time since the last use after which a repeated response extends the idle expiry.
    ///
    /// Quicker retries stay read-only.
    package var touchInterval = Duration.seconds(60)
    /// Whether an outcome may be final because of a time (``ClockReading/isTrusted``).
    package var isClockTrusted = true
    /// Whether the age of a change within the window is known (``ClockReading/isWindowTrusted``).
    package var isWindowTrusted = true
    /// The maximum time by which `now` may lag, added to the stored idle expiry so that it is not too early.
    package var clockUncertainty = Duration.zero

    /// The divisor of the idle lifetime that gives the largest extension of the idle expiry that lost commits may undo.
    private static let durableExtensionDivisor = 30

    package init(idleLifetime: Duration) {
        self.idleLifetime = idleLifetime
    }

    /// Evaluates a refresh with `token`, and with `intent` if the client sent one.
    package func refresh(
        _ row: SessionRow,
        token: RefreshToken,
        intent: Intent?,
        now: Timestamp,
        keys: TokenKeyRing
    ) -> RotationDecision {
        if let answer = objection(row, token, now, keys) { return RotationDecision(answer) }
        let presentation = Presentation(row: row, token: token.body, now: now, keys: keys)
        switch (row.rotation.mode, intent) {
        case (.static, _): return unrotated(presentation, token)
        case (.plain, nil): return plain(presentation)
        case (.plain, let intent?): return upgraded(presentation, IntentHash(intent))
        case (.intent, nil): return unbound(presentation)
        case (.intent, let intent?): return bound(presentation, IntentHash(intent))
        case (.other, _): return RotationDecision(.refused(.unsupportedMode))
        }
    }

    /// Evaluates a confirmation: the client has stored `token` durably.
    package func confirm(
        _ row: SessionRow,
        token: RefreshToken,
        now: Timestamp,
        keys: TokenKeyRing
    ) -> RotationDecision {
        if let answer = objection(row, token, now, keys) { return RotationDecision(answer) }
        let body = token.body
        guard row.rotation.mode != .static, body.generation > row.rotation.current else {
            return RotationDecision(.recorded)
        }
        if isOrphan(body, row.rotation) { return end(row, .fork, now) }
        var row = row
        prove(&row.rotation, body, now)
        return RotationDecision(.recorded, row: row)
    }

    /// Evaluates a report: the client got `superseded` for the newest token that it holds.
    package func report(
        _ row: SessionRow,
        token: RefreshToken,
        now: Timestamp,
        keys: TokenKeyRing
    ) -> RotationDecision {
        if let answer = objection(row, token, now, keys) { return RotationDecision(answer) }
        guard token.generation < row.rotation.current else { return RotationDecision(.recorded) }
        return end(row, .staleHolder, now)
    }

    /// Evaluates a logout.
    ///
    /// Accepts any genuine token of the session; a second logout is not an error.
    package func logout(
        _ row: SessionRow,
        token: RefreshToken,
        now: Timestamp,
        keys: TokenKeyRing
    ) -> RotationDecision {
        switch objection(row, token, now, keys) {
        case .ended: RotationDecision(.recorded)
        // A session of every mode can be ended. A session whose expiry is shown only by an untrusted clock must not be
        // ended, because a stored end is permanent.
        case nil, .refused(.unsupportedMode), .refused(.clockNotTrusted):
            RotationDecision(.recorded, row: ended(row, .logout, now))
        case let answer?: RotationDecision(answer)
        }
    }

    /// Evaluates a refresh of a session that has ended before, although the row is active: the database lost the end.
    ///
    /// A response has confirmed the end to the user or to an operator, so it is stored again, and no tokens are issued.
    package func endAgain(
        _ row: SessionRow,
        _ decision: RotationDecision,
        _ reason: EndReason,
        now: Timestamp
    ) -> RotationDecision {
        guard case .served = decision.answer else { return decision }
        return end(row, reason, now)
    }

    /// Whether a refresh with `token` would be served now, according to the row, without changing it.
    package func wouldServe(_ row: SessionRow, token: RefreshToken, now: Timestamp, keys: TokenKeyRing) -> Bool {
        let (state, body) = (row.rotation, token.body)
        guard objection(row, token, now, keys) == nil else { return false }
        if state.mode == .static { return true }
        if body.generation == state.current { return body.branch == state.branch }
        return body.generation > state.current && !isOrphan(body, state)
    }

    // MARK: - Before any table

    /// Returns the outcome for a token whose generation must not be evaluated; `nil` if it may be.
    ///
    /// Either the MAC is wrong, the session has ended (case 1), or only a newer server knows the session's mode and can
    /// interpret the row's other columns.
    private func objection(
        _ row: SessionRow,
        _ token: RefreshToken,
        _ now: Timestamp,
        _ keys: TokenKeyRing
    ) -> RotationOutcome? {
        guard token.session == row.id else { return .refused(.forged) }
        switch keys.verdict(on: token, salt: row.salt) {
        case .forged: return .refused(.forged)
        case .keyUnavailable: return .refused(.keyUnavailable)
        case .genuine:
            if let reason = row.endReason(at: now) {
                return row.ending != nil || isClockTrusted ? .ended(reason) : .refused(.clockNotTrusted)
            }
            return row.rotation.mode.isKnown ? nil : .refused(.unsupportedMode)
        }
    }

    // MARK: - Intent mode

    private func bound(_ presented: Presentation, _ intent: IntentHash) -> RotationDecision {
        let state = presented.row.rotation
        let body = presented.token
        if body.generation < state.current { return RotationDecision(.superseded) }
        if body.generation > state.current { return provenReceipt(presented, next: 0, intent: intent) }
        // A session that was upgraded from plain mode may still have orphans.
        if body.branch != state.branch { return stray(presented, .fork) }
        switch state.intent {
        case nil:
            var row = presented.row
            row.rotation.intent = intent
            row.rotation.boundAt = presented.now
            row.rotation.successorKeyID = presented.keys.currentID
            return serve(presented, row, .bound)
        case intent:
            return repeated(presented)
        default:
            return end(presented.row, .fork, presented.now)
        }
    }

    /// Evaluates a token without an intent, for a session whose client sends intents.
    ///
    /// The client of a session that began in intent mode always sends intents: a request without an intent is not from
    /// that client, and changes nothing. A session that was upgraded from plain mode may have a client that sends none.
    /// An attacker who binds such a client's token must not lock out its owner unnoticed, so the request counts as that
    /// of a second holder. Within the window after the last change it may be a delayed retry, and is answered with
    /// `superseded`.
    private func unbound(_ presented: Presentation) -> RotationDecision {
        guard presented.row.contract != nil else { return RotationDecision(.refused(.intentRequired)) }
        let isRecent = isRecent(presented.row.rotation.boundAt, presented.now)
        return isRecent ? RotationDecision(.superseded) : stray(presented, .fork)
    }

    // MARK: - Plain mode

    private func plain(_ presented: Presentation) -> RotationDecision {
        let state = presented.row.rotation
        let body = presented.token
        if body.generation < state.current { return stray(presented, .reuse) }
        if body.generation > state.current { return provenReceipt(presented, next: 1, intent: nil) }
        if body.branch != state.branch { return stray(presented, .fork) }
        // Another successor makes the issued one useless, so an untrusted clock must not lead to one.
        let mayBeRecent = isRecent(state.boundAt, presented.now) || !isAgeKnown
        if state.next > 0 && mayBeRecent { return repeated(presented) }
        var row = presented.row
        row.rotation.next += 1
        row.rotation.boundAt = presented.now
        row.rotation.successorKeyID = presented.keys.currentID
        return serve(presented, row, state.next == 0 ? .bound : .sibling)
    }

    /// Evaluates a superseded token: it is tolerated for a while after the confirmation, and then indicates two
    /// holders.
    private func stray(_ presented: Presentation, _ reason: EndReason) -> RotationDecision {
        if isRecent(presented.row.rotation.provedAt, presented.now) { return RotationDecision(.superseded) }
        return isAgeKnown ? end(presented.row, reason, presented.now) : RotationDecision(.refused(.clockNotTrusted))
    }

    /// Whether a change that does not appear recent was made before the window.
    private var isAgeKnown: Bool { isClockTrusted && isWindowTrusted }

    /// Whether a change was made within the window.
    ///
    /// The clocks of two servers differ by less than the window. A change that is further in the future was made by another
    /// clock, so that it is older than the window for which this one has been trusted.
    private func isRecent(_ change: Timestamp, _ now: Timestamp) -> Bool {
        let age = now - change
        return age < Self.window && age > .zero - Self.window
    }

    /// Upgrades a plain session whose client sends its first intent, to which it is bound from now on.
    ///
    /// The client may have the successor that plain mode has issued. Otherwise the successor is that of intent mode, so that
    /// the successors of a session whose client sends intents do not depend on whether the row is upgraded. A backup that
    /// is restored may have the row as it was before.
    ///
    /// The upgrade must be durable. If the database lost it, the row would be plain again. A late duplicate of a request
    /// without an intent would then get a successor on another branch than the client's, and the client's next refresh
    /// would end the session as a fork.
    private func upgraded(_ presented: Presentation, _ intent: IntentHash) -> RotationDecision {
        let asPlain = plain(presented)
        guard case .served = asPlain.answer else { return asPlain }
        let state = presented.row.rotation
        let isBound = presented.token.generation == state.current && state.next > 0
        let decision = isBound ? asPlain : bound(presented, intent)
        var row = decision.row ?? presented.row
        row.rotation.mode = .intent
        row.rotation.intent = intent
        row.rotation.boundAt = presented.now
        return RotationDecision(decision.answer, row: row, mustBeDurable: true)
    }

    // MARK: - Static mode

    private func unrotated(_ presented: Presentation, _ token: RefreshToken) -> RotationDecision {
        serve(presented, token, presented.row, .unrotated)
    }

    // MARK: - Parts that the modes share

    /// Evaluates a token that is newer than the row.
    ///
    /// The token proves that its holder received it, or that the database lost commits (case 6).
    private func provenReceipt(_ presented: Presentation, next: UInt64, intent: IntentHash?) -> RotationDecision {
        let lost = presented.token.generation - presented.row.rotation.current - 1
        if isOrphan(presented.token, presented.row.rotation) { return end(presented.row, .fork, presented.now) }
        var row = presented.row
        prove(&row.rotation, presented.token, presented.now)
        row.rotation.next = next
        row.rotation.intent = intent
        row.rotation.boundAt = presented.now
        row.rotation.successorKeyID = presented.keys.currentID
        return serve(presented, row, lost == 0 ? .proved : .rolledForward(lost))
    }

    /// Whether a later successor has replaced the one in `body`, so that two holders have sent requests.
    private func isOrphan(_ body: RefreshTokenPayload, _ state: RotationState) -> Bool {
        body.generation == state.current + 1 && body.branch < state.next
    }

    private func prove(_ state: inout RotationState, _ body: RefreshTokenPayload, _ now: Timestamp) {
        state.current = body.generation
        state.branch = body.branch
        state.provedAt = now
        state.intent = nil
        state.next = 0
    }

    /// Returns the same successor again.
    ///
    /// The rotation state does not change; the idle expiry is extended if the last use was long ago.
    private func repeated(_ presented: Presentation) -> RotationDecision {
        let row = presented.row
        let isStale = presented.now - row.lastUsedAt >= touchInterval
        let successor = successor(row, presented.keys)
        guard isStale else { return RotationDecision(.served(successor, .repeated)) }
        return serve(presented, successor, row, .repeated)
    }

    private func serve(
        _ presented: Presentation,
        _ row: SessionRow,
        _ how: RotationOutcome.Served
    ) -> RotationDecision {
        serve(presented, successor(row, presented.keys), row, how)
    }

    /// Serves a token, and extends the idle expiry.
    ///
    /// A large extension must be durable. If the database lost it, a client that used its session in time would be
    /// signed out: a later token proves a generation, but not an expiry (`Models/expiry.pml`, `A_LAZYEXTEND`).
    private func serve(
        _ presented: Presentation,
        _ token: RefreshToken,
        _ row: SessionRow,
        _ how: RotationOutcome.Served
    ) -> RotationDecision {
        let row = touched(row, presented.now)
        let gain = row.idleExpiry - presented.row.idleExpiry
        return RotationDecision(
            .served(token, how),
            row: row,
            mustBeDurable: gain > idleLifetime / Self.durableExtensionDivisor
        )
    }

    private func successor(_ row: SessionRow, _ keys: TokenKeyRing) -> RefreshToken {
        let state = row.rotation
        let body = RefreshTokenPayload(
            keyID: state.successorKeyID,
            session: row.id,
            generation: state.current + 1,
            branch: state.next
        )
        return keys.token(body, salt: row.salt)
    }

    private func touched(_ row: SessionRow, _ now: Timestamp) -> SessionRow {
        var row = row
        let idleExpiry = now + idleLifetime + clockUncertainty
        row.lastUsedAt = isClockTrusted ? now : max(row.lastUsedAt, now)
        row.idleExpiry = min(isClockTrusted ? idleExpiry : max(row.idleExpiry, idleExpiry), row.absoluteExpiry)
        return row
    }

    private func end(_ row: SessionRow, _ reason: EndReason, _ now: Timestamp) -> RotationDecision {
        RotationDecision(.ended(reason), row: ended(row, reason, now))
    }

    private func ended(_ row: SessionRow, _ reason: EndReason, _ now: Timestamp) -> SessionRow {
        var row = row
        row.ending = SessionRow.Ending(at: now, reason: reason)
        return row
    }

    /// A genuine token with its session's row.
    private struct Presentation {
        var row: SessionRow
        var token: RefreshTokenPayload
        var now: Timestamp
        var keys: TokenKeyRing
    }
}
