// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

extension SessionDriver {
    /// How often a record is read anew because other processes changed it in between.
    static let maximumConflicts = 16

    private enum Step {
        case done
        case retry
        case report
    }

    /// One refresh, with as many attempts as callers have patience for.
    func refresh(_ id: Int) async {
        while true {
            await retryPause(in: id)
            let policy = RefreshLockPolicy(allowsRepeatedRefresh: endpoint.contract.isConfirmed)
            let turn = RefreshLock(store.processLock, policy: policy)
            // Begun first: an app that is suspended while it holds a lock on a shared file is ended.
            let end = await assertion?.begin("Freshet refresh") { turn.release() }
            defer {
                turn.release()
                end?()
            }
            do throws(SessionStoreError) {
                try await turn.acquire(until: clock.now() + refreshLockTimeout, on: clock)
            } catch {
                _ = preparationFailed(id, error)
                return
            }
            // The store has the changes that another process made meanwhile.
            guard let pair = prepare(id) else { return }
            let askedAt = clock.snapshot
            let attempt = await endpoint.refresh(pair)
            let answer = attempt.answer
            updateReachability(answer)
            if let late = attempt.late { trackLateAnswer(of: late, pair, askedAt) }
            guard machine.isCurrent(refresh: id) else { return enqueueLogoutOfUnusedGrant(answer, pair, askedAt) }
            publishAttempt(answer, took: clock.now() - askedAt.now)
            var step = handleAnswer(id, pair, askedAt, answer)
            if case .report = step {
                let outcome = await endpoint.present(pair.presented, on: .report)
                // A 204 is no verdict: something moved in between. Ask again, later.
                let verdict = outcome == .delivered ? Outcome.transient(retryAfter: nil) : outcome
                step = handleAnswer(id, pair, askedAt, .other(verdict), isReport: true)
            }
            guard case .retry = step else { return }
        }
    }

    /// How long to wait for siblings that refresh.
    ///
    /// A backend that takes a token once ends the session if two present it, so there it takes longer to lose patience.
    private var refreshLockTimeout: Duration {
        endpoint.contract.isConfirmed ? endpoint.deadline : endpoint.refreshDeadline + endpoint.deadline * 2
    }

    /// Agrees with the store about what to present, and makes its intent durable.
    private func prepare(_ id: Int) -> RefreshCredentials? {
        guard machine.isCurrent(refresh: id) else { return nil }
        save()
        for _ in 0..<Self.maximumConflicts {
            switch enqueuingLogoutOfUnsaved({ machine.prepare(id, stored: readStore(), at: clock.snapshot) }) {
            case .overtaken: return nil
            case .complete(let completion):
                complete(completion)
                publishPreparationResult(completion.answer)
                return nil
            case .send(let pair):
                publish()
                return pair
            case .writeIntent(let record, var session):
                session.intent = Intent.random().text
                do throws(SessionStoreError) {
                    // Whether or not this one won, the next reading tells which intent counts.
                    _ = try store.replace(record, with: record.with(session))
                } catch { return preparationFailed(id, error) }
            }
        }
        return preparationFailed(id, .tooManyConflicts)
    }

    /// The store did not take an intent, or its lock cannot be had, so nothing is sent.
    private func preparationFailed(_ id: Int, _ fault: SessionStoreError) -> RefreshCredentials? {
        complete(machine.preparationFailed(id, fault, now: clock.now()))
        published.emit(.refreshFailed(SessionError(fault)))
        return nil
    }

    // MARK: Events

    private func publishAttempt(_ answer: TokenEndpoint.RefreshAnswer, took duration: Duration) {
        trace?.attempts += 1
        var attempt = RefreshAttempt(number: trace?.attempts ?? 1, outcome: .init(answer), duration: duration)
        attempt.status = endpoint.refreshStatus.withLock { $0 }
        published.emit(.refreshAttempted(attempt))
    }

    private func publishRefresh() {
        if let trace { published.emit(.refreshed(trace.report(at: clock.now()))) }
        publishToken()
    }

    /// Tells how long the token in use is valid.
    func publishToken() {
        guard let currentSession = machine.currentSession else { return }
        let now = clock.now()
        let canRenew = machine.renewal.canRenew(currentSession.session)
        let report = AccessTokenReport(
            expiresAt: currentSession.token.token.expiresAt,
            remainingLifetime: currentSession.token.expiresAt - now,
            source: currentSession.token.source,
            refreshIn: canRenew ? max(.zero, max(due?.at ?? .zero, machine.earliestRefreshAhead) - now) : nil
        )
        published.emit(.accessTokenReceived(report))
    }

    /// A refresh ended before anything was sent.
    private func publishPreparationResult(_ answer: Result<AccessToken, SessionError>) {
        switch answer {
        case .success:
            published.emit(.adopted)
            publishToken()
        // That the session is another one, or gone, shows in its state.
        case .failure(.signedOut): break
        case .failure(let error): published.emit(.refreshFailed(error))
        }
    }

    /// Acts on what an attempt brought.
    private func handleAnswer(
        _ id: Int,
        _ pair: RefreshCredentials,
        _ askedAt: ClockSnapshot,
        _ answer: TokenEndpoint.RefreshAnswer,
        isReport: Bool = false
    ) -> Step {
        guard machine.isCurrent(refresh: id) else { return .done }
        switch answer {
        case .granted(let grant):
            commit(id, pair, grant, askedAt)
            return .done
        case .other(.sessionEnded), .unverifiedEnd:
            // The backend may refuse the token because an earlier attempt used it up, whose answer is still to come.
            if awaitsLateAnswer(pair) { return failed(id, retryAfter: nil) }
            return handleUnverifiedEnd(id, pair, answer)
        case .other(.superseded):
            return isReport ? failed(id, retryAfter: nil) : superseded(id, pair)
        case .other(.throttled(let delay)), .other(.transient(let delay)):
            return failed(id, retryAfter: delay)
        case .other(.misconfigured(let fault)), .other(.contractViolation(let fault)):
            return receivedUnusableResponse(id, .contractFault(fault))
        case .other(.stepUp):
            return receivedUnusableResponse(id, .stepUpRequired)
        case .other(let outcome):
            return receivedUnusableResponse(id, .contractFault("an answer of the kind \(outcome) to a refresh"))
        }
    }

    private func receivedUnusableResponse(_ id: Int, _ error: SessionError) -> Step {
        complete(machine.receivedUnusableResponse(id, error, now: clock.now(), chance: clock.chance()))
        published.emit(.refreshFailed(error))
        return .done
    }

    private func failed(_ id: Int, retryAfter: Duration?) -> Step {
        switch machine.failed(id, retryAfter: retryAfter, now: clock.now(), chance: clock.chance()) {
        case .overtaken: return .done
        case .giveUp(let completion):
            complete(completion)
            if case .failure(let error) = completion.answer { published.emit(.refreshFailed(error)) }
            return .done
        case .retry(let completion):
            complete(completion)
            return .retry
        }
    }

    /// Another client proved a newer generation: a sibling, whose record is newer than what was sent, or a stranger.
    private func superseded(_ id: Int, _ pair: RefreshCredentials) -> Step {
        // Tokens in memory that are not saved are newer than those sent, so there is nothing to report.
        guard let held = machine.currentSession?.session, held.generation == pair.generation,
            case .success(let record) = readStore()
        else { return failed(id, retryAfter: nil) }
        if let stored = record?.session, stored.id == pair.sessionID, stored.generation == pair.generation {
            return .report
        }
        return .retry
    }

    /// The server ended the session, or something on the way said so.
    private func handleUnverifiedEnd(_ id: Int, _ pair: RefreshCredentials, _ answer: TokenEndpoint.RefreshAnswer)
        -> Step
    {
        switch answer {
        case .other(.sessionEnded(let reason)): return ended(id, pair, reason)
        case .unverifiedEnd(let reason):
            guard machine.recordUnverifiedEnd(id, now: clock.now(), chance: clock.chance()) else {
                return ended(id, pair, reason)
            }
            publish()
            return .retry
        case .granted, .other: return .done
        }
    }

    /// The server ended the session; unless another process has a newer one, that is final.
    private func ended(_ id: Int, _ pair: RefreshCredentials, _ reason: SignOutReason) -> Step {
        for _ in 0..<Self.maximumConflicts {
            guard case .success(let record) = readStore() else { return failed(id, retryAfter: nil) }
            // The tokens presented may be newer than those that could be stored.
            guard let record, let stored = record.session, stored.id == pair.sessionID,
                stored.generation <= pair.generation
            else { return .retry }
            do throws(SessionStoreError) {
                guard try store.replace(record, with: record.ending(reason, keeping: .none)) else { continue }
            } catch {
                // The record that is still stored must not be taken for a session again.
                machine.pendingSignOut = .init(session: stored, reason: reason)
            }
            complete(machine.ended(id, reason))
            return .done
        }
        return failed(id, retryAfter: nil)
    }

    /// A sign-out or another sign-in overtook a refresh, and the server issued tokens that no session uses.
    ///
    /// With our own protocol a logout by any token of the session ends it, so that the one that is owed already suffices.
    func enqueueLogoutOfUnusedGrant(
        _ answer: TokenEndpoint.RefreshAnswer,
        _ pair: RefreshCredentials,
        _ askedAt: ClockSnapshot
    ) {
        guard case .granted(let grant) = answer, !endpoint.contract.isConfirmed else { return }
        var session = StoredSession(grant, askedAt: askedAt)
        session.id = pair.sessionID
        session.refreshToken = grant.refreshToken ?? pair.refreshToken
        guard session.refreshToken != pair.refreshToken || session.refreshToken == nil else { return }
        // A sign-out that is not on record yet is put there with the newest tokens.
        if machine.pendingSignOut?.session?.id == session.id { machine.pendingSignOut?.session = session }
        enqueueLogout(of: session)
    }

    /// Takes over new tokens: stored first, then handed out, then confirmed.
    private func commit(_ id: Int, _ pair: RefreshCredentials, _ grant: SessionGrant, _ askedAt: ClockSnapshot) {
        if let fault = mismatch(grant, pair) {
            _ = receivedUnusableResponse(id, .contractFault(fault))
            return
        }
        store(grant, of: pair, askedAt) { currentSession in
            complete(machine.refreshed(id, currentSession, now: clock.now(), chance: clock.chance()))
        }
    }

    /// Why tokens are not of the session that was refreshed.
    func mismatch(_ grant: SessionGrant, _ pair: RefreshCredentials) -> String? {
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
        of pair: RefreshCredentials,
        _ askedAt: ClockSnapshot,
        completing: (CurrentSession) -> Void
    ) {
        let session = StoredSession(grant, askedAt: askedAt, before: machine.currentSession?.session)
        var currentSession = CurrentSession(
            session: session,
            token: TimedAccessToken(grant, of: session.id, askedAt: askedAt, cause: machine.refreshCause),
            isSaved: false
        )
        switch saveIfCurrent(&currentSession) {
        case .replaced(let record):
            // Another process signed out, or in, while this one refreshed.
            complete(machine.adopt(record, at: clock.snapshot))
            enqueueLogoutOfUnusedGrant(.granted(grant), pair, askedAt)
        case .saved:
            completing(currentSession)
            publishRefresh()
            confirm(currentSession.session)
            if hasPendingLogout { deliverLogouts() }
        case .unsaved:
            completing(currentSession)
            publishRefresh()
            published.emit(.unsaved)
            keepSaving()
        }
    }
}

extension SessionStoreError {
    static let tooManyConflicts = SessionStoreError(.locked, "other processes keep changing the record")
}

extension StoredSession {
    /// The session of a grant, which has no intent yet.
    init(_ grant: SessionGrant, askedAt: ClockSnapshot, before: StoredSession? = nil) {
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

    private static func end(_ grant: SessionGrant, _ askedAt: ClockSnapshot, _ before: StoredSession?) -> Double? {
        if let end = before?.endsAt, !grant.isSessionExtended { return end }
        return grant.sessionLifetime.map { askedAt.wall.timeIntervalSince1970 + $0.inSeconds } ?? before?.endsAt
    }
}
