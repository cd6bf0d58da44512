// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

extension SessionDriver {
    /// How often a record is read anew because other processes changed it in between.
    static let mostCollisions = 16

    private enum Step {
        case done
        case retry
        case report
    }

    /// One refresh, with as many attempts as callers have patience for.
    func refresh(_ id: Int) async {
        while true {
            await nap(in: id)
            let policy = RefreshLockPolicy(allowsRepeatedRefresh: endpoint.contract.isConfirmed)
            let turn = RefreshTurn(store.processLock, policy: policy)
            // Begun first: an app that is suspended while it holds a lock on a shared file is ended.
            let end = await assertion?.begin("Freshet refresh") { turn.end() }
            defer {
                turn.end()
                end?()
            }
            do throws(StoreUnavailable) {
                try await turn.take(by: clock.now() + turnPatience, on: clock)
            } catch {
                _ = unprepared(id, error)
                return
            }
            // What a sibling did meanwhile is in the store.
            guard let pair = prepare(id) else { return }
            let askedAt = clock.moment
            let attempt = await endpoint.refresh(pair)
            let answer = attempt.answer
            noteNetwork(answer)
            if let late = attempt.late { listen(for: late, pair, askedAt) }
            guard machine.isCurrent(refresh: id) else { return oweOvertaken(answer, pair, askedAt) }
            tellOfAttempt(answer, took: clock.now() - askedAt.now)
            var step = conclude(id, pair, askedAt, answer)
            if case .report = step {
                let outcome = await endpoint.present(pair.presented, on: .report)
                // A 204 is no verdict: something moved in between. Ask again, later.
                let verdict = outcome == .delivered ? Outcome.transient(retryAfter: nil) : outcome
                step = conclude(id, pair, askedAt, .other(verdict), isReport: true)
            }
            guard case .retry = step else { return }
        }
    }

    /// How long to wait for siblings that refresh.
    ///
    /// A backend that takes a token once ends the session if two present it, so there it takes longer to lose patience.
    private var turnPatience: Duration {
        endpoint.contract.isConfirmed ? endpoint.deadline : endpoint.refreshDeadline + endpoint.deadline * 2
    }

    /// Agrees with the store about what to present, and makes its intent durable.
    private func prepare(_ id: Int) -> RefreshPair? {
        guard machine.isCurrent(refresh: id) else { return nil }
        save()
        for _ in 0..<Self.mostCollisions {
            switch owingUnsaved({ machine.prepare(id, stored: readStore(), at: clock.moment) }) {
            case .overtaken: return nil
            case .settle(let settlement):
                settle(settlement)
                tellOfPreparation(settlement.answer)
                return nil
            case .send(let pair):
                publish()
                return pair
            case .writeIntent(let record, var session):
                session.intent = Intent.random().text
                do throws(StoreUnavailable) {
                    // Whether or not this one won, the next reading tells which intent counts.
                    _ = try store.replace(record, with: record.with(session))
                } catch { return unprepared(id, error) }
            }
        }
        return unprepared(id, .collisions)
    }

    /// The store did not take an intent, or its lock cannot be had, so nothing is sent.
    private func unprepared(_ id: Int, _ fault: StoreUnavailable) -> RefreshPair? {
        settle(machine.unprepared(id, fault, now: clock.now()))
        published.tell(.refreshFailed(SessionError(fault)))
        return nil
    }

    // MARK: Events

    private func tellOfAttempt(_ answer: TokenEndpoint.RefreshAnswer, took duration: Duration) {
        trace?.attempts += 1
        var attempt = RefreshAttempt(number: trace?.attempts ?? 1, outcome: .init(answer), duration: duration)
        attempt.status = endpoint.refreshStatus.withLock { $0 }
        published.tell(.refreshAttempted(attempt))
    }

    private func tellOfRefresh() {
        if let trace { published.tell(.refreshed(trace.report(at: clock.now()))) }
        tellOfToken()
    }

    /// Tells how long the token in use is valid.
    func tellOfToken() {
        guard let holding = machine.holding else { return }
        let now = clock.now()
        let canRenew = machine.renewal.canRenew(holding.session)
        let report = AccessTokenReport(
            expiresAt: holding.token.token.expiresAt,
            lifeLeft: holding.token.expiresAt - now,
            source: holding.token.source,
            refreshIn: canRenew ? max(.zero, max(due?.at ?? .zero, machine.earliestRefreshAhead) - now) : nil
        )
        published.tell(.accessTokenReceived(report))
    }

    /// A refresh ended before anything was sent.
    private func tellOfPreparation(_ answer: Result<AccessToken, SessionError>) {
        switch answer {
        case .success:
            published.tell(.adopted)
            tellOfToken()
        // That the session is another one, or gone, shows in its state.
        case .failure(.signedOut): break
        case .failure(let error): published.tell(.refreshFailed(error))
        }
    }

    /// Acts on what an attempt brought.
    private func conclude(
        _ id: Int,
        _ pair: RefreshPair,
        _ askedAt: Moment,
        _ answer: TokenEndpoint.RefreshAnswer,
        isReport: Bool = false
    ) -> Step {
        guard machine.isCurrent(refresh: id) else { return .done }
        switch answer {
        case .granted(let grant):
            commit(id, pair, grant, askedAt)
            return .done
        case .other(.sessionEnded), .doubtfulEnd:
            // The backend may refuse the token because an earlier attempt used it up, whose answer is still to come.
            if awaitsLateAnswer(pair) { return failed(id, retryAfter: nil) }
            return doubted(id, pair, answer)
        case .other(.superseded):
            return isReport ? failed(id, retryAfter: nil) : superseded(id, pair)
        case .other(.throttled(let delay)), .other(.transient(let delay)):
            return failed(id, retryAfter: delay)
        case .other(.misconfigured(let fault)), .other(.contractViolation(let fault)):
            return misunderstood(id, .contractFault(fault))
        case .other(.stepUp):
            return misunderstood(id, .stepUpRequired)
        case .other(let outcome):
            return misunderstood(id, .contractFault("an answer of the kind \(outcome) to a refresh"))
        }
    }

    private func misunderstood(_ id: Int, _ error: SessionError) -> Step {
        settle(machine.misunderstood(id, error, now: clock.now(), chance: clock.chance()))
        published.tell(.refreshFailed(error))
        return .done
    }

    private func failed(_ id: Int, retryAfter: Duration?) -> Step {
        switch machine.failed(id, retryAfter: retryAfter, now: clock.now(), chance: clock.chance()) {
        case .overtaken: return .done
        case .giveUp(let settlement):
            settle(settlement)
            if case .failure(let error) = settlement.answer { published.tell(.refreshFailed(error)) }
            return .done
        case .retry(let settlement):
            settle(settlement)
            return .retry
        }
    }

    /// Another client proved a newer generation: a sibling, whose record is newer than what was sent, or a stranger.
    private func superseded(_ id: Int, _ pair: RefreshPair) -> Step {
        // What is held but not saved is newer than what was sent, so there is nothing to report.
        guard let held = machine.holding?.session, held.generation == pair.generation,
            case .success(let record) = readStore()
        else { return failed(id, retryAfter: nil) }
        if let stored = record?.session, stored.id == pair.sessionID, stored.generation == pair.generation {
            return .report
        }
        return .retry
    }

    /// The server ended the session, or something on the way said so.
    private func doubted(_ id: Int, _ pair: RefreshPair, _ answer: TokenEndpoint.RefreshAnswer) -> Step {
        switch answer {
        case .other(.sessionEnded(let reason)): return ended(id, pair, reason)
        case .doubtfulEnd(let reason):
            guard machine.doubt(id, now: clock.now(), chance: clock.chance()) else { return ended(id, pair, reason) }
            publish()
            return .retry
        case .granted, .other: return .done
        }
    }

    /// The server ended the session; unless another process has a newer one, that is final.
    private func ended(_ id: Int, _ pair: RefreshPair, _ reason: SignOutReason) -> Step {
        for _ in 0..<Self.mostCollisions {
            guard case .success(let record) = readStore() else { return failed(id, retryAfter: nil) }
            // What was presented may be newer than what could be stored.
            guard let record, let stored = record.session, stored.id == pair.sessionID,
                stored.generation <= pair.generation
            else { return .retry }
            do throws(StoreUnavailable) {
                guard try store.replace(record, with: record.ending(reason, owing: .none)) else { continue }
            } catch {
                // What the store still has must not look like a session again.
                machine.owedSignOut = .init(session: stored, reason: reason)
            }
            settle(machine.ended(id, reason))
            return .done
        }
        return failed(id, retryAfter: nil)
    }

    /// A sign-out or another sign-in overtook a refresh, and the server issued tokens that no session uses.
    ///
    /// With our own protocol a logout by any token of the session ends it, so that the one that is owed already suffices.
    func oweOvertaken(_ answer: TokenEndpoint.RefreshAnswer, _ pair: RefreshPair, _ askedAt: Moment) {
        guard case .granted(let grant) = answer, !endpoint.contract.isConfirmed else { return }
        var session = StoredSession(grant, askedAt: askedAt)
        session.id = pair.sessionID
        session.refreshToken = grant.refreshToken ?? pair.refreshToken
        guard session.refreshToken != pair.refreshToken || session.refreshToken == nil else { return }
        // A sign-out that is not on record yet is put there with the newest tokens.
        if machine.owedSignOut?.session?.id == session.id { machine.owedSignOut?.session = session }
        tellLater(of: session)
    }

    /// Takes over new tokens: stored first, then handed out, then confirmed.
    private func commit(_ id: Int, _ pair: RefreshPair, _ grant: SessionGrant, _ askedAt: Moment) {
        if let fault = mismatch(grant, pair) {
            _ = misunderstood(id, .contractFault(fault))
            return
        }
        store(grant, of: pair, askedAt) { holding in
            settle(machine.refreshed(id, holding, now: clock.now(), chance: clock.chance()))
        }
    }

    /// Why tokens are not of the session that was refreshed.
    func mismatch(_ grant: SessionGrant, _ pair: RefreshPair) -> String? {
        // Only our own refresh tokens say of which session and generation they are.
        let isOurs =
            !endpoint.contract.isConfirmed
            || (grant.sessionID == pair.sessionID && (grant.generation ?? 0) > pair.generation)
        guard isOurs, !grant.contradicts(pair.userID, from: pair.userSource) else {
            return "the answer is for another session"
        }
        // Access tokens of one session are of one kind; an ID token may name the user by another identifier.
        guard let before = UnverifiedJWT(pair.accessToken)?.subject,
            let now = UnverifiedJWT(grant.accessToken)?.subject,
            before != now
        else { return nil }
        return "the access token is for another subject"
    }

    func store(
        _ grant: SessionGrant,
        of pair: RefreshPair,
        _ askedAt: Moment,
        settling: (Holding) -> Void
    ) {
        let session = StoredSession(grant, askedAt: askedAt, before: machine.holding?.session)
        var holding = Holding(
            session: session,
            token: LiveToken(grant, of: session.id, askedAt: askedAt, cause: machine.refreshCause),
            isSaved: false
        )
        switch put(&holding) {
        case .left(let record):
            // Another process signed out, or in, while this one refreshed.
            settle(machine.adopt(record, at: clock.moment))
            oweOvertaken(.granted(grant), pair, askedAt)
        case .saved:
            settling(holding)
            tellOfRefresh()
            confirm(holding.session)
            if hasPendingLogout { deliverLogouts() }
        case .unsaved:
            settling(holding)
            tellOfRefresh()
            published.tell(.unsaved)
            keepSaving()
        }
    }
}

extension StoreUnavailable {
    static let collisions = StoreUnavailable(.locked, "other processes keep changing the record")
}

extension StoredSession {
    /// The session of a grant, which has no intent yet.
    init(_ grant: SessionGrant, askedAt: Moment, before: StoredSession? = nil) {
        self.init(
            id: before?.id ?? grant.sessionID ?? UUID().uuidString.lowercased(),
            generation: grant.generation ?? before?.nextGeneration ?? 0,
            // One that did not come leaves the old one in force.
            refreshToken: grant.refreshToken ?? before?.refreshToken,
            intent: nil,
            accessToken: grant.accessToken,
            askedAt: askedAt.wall.timeIntervalSince1970,
            askedSinceBoot: askedAt.boot?.elapsed.inSeconds,
            boot: askedAt.boot?.boot,
            lifetime: grant.lifetime.inSeconds,
            // Known once, it stays: another source may name the same user differently.
            userID: before?.userID ?? grant.userID,
            userSource: Self.userSource(grant, before),
            email: grant.email ?? before?.email,
            endsAt: Self.end(grant, askedAt, before)
        )
    }

    /// The source of the user's ID, which a record of an earlier version learns from the first grant that has the same ID.
    private static func userSource(_ grant: SessionGrant, _ before: StoredSession?) -> String? {
        guard let userID = before?.userID else { return grant.users.first?.source }
        return before?.userSource ?? grant.users.first { $0.id == userID }?.source
    }

    private static func end(_ grant: SessionGrant, _ askedAt: Moment, _ before: StoredSession?) -> Double? {
        if let end = before?.endsAt, !grant.isSessionExtended { return end }
        return grant.sessionLifetime.map { askedAt.wall.timeIntervalSince1970 + $0.inSeconds } ?? before?.endsAt
    }
}
