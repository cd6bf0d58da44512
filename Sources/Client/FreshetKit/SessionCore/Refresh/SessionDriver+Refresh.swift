// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

extension SessionDriver {
    /// The maximum number of times a record is read again because other processes changed it.
    static let maximumConflicts = 16

    private enum Step {
        case done
        case retry
        case report
    }

    /// Runs one refresh, with attempts until no caller waits any longer.
    func refresh(_ id: Int) async {
        while true {
            await retryPause(in: id)
            let policy = RefreshLockPolicy(allowsRepeatedRefresh: endpoint.contract.isConfirmed)
            let turn = RefreshLock(store.processLock, policy: policy)
            // The assertion begins first: the system terminates an app that is suspended while it holds a lock on a
            // shared file.
            let end = await assertion?.begin("Freshet refresh") { turn.release() }
            defer {
                turn.release()
                end?()
            }
            do throws(SessionStoreError) {
                try await turn.acquire(within: refreshLockTimeout, on: clock)
            } catch {
                _ = preparationFailed(id, error)
                return
            }
            // The store now has the changes that another process made in the meantime.
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
                // A 204 is not a result of a refresh: the contract or the session changed. Retry later.
                let verdict = outcome == .delivered ? Outcome.transient(retryAfter: nil) : outcome
                step = handleAnswer(id, pair, askedAt, .other(verdict), isReport: true)
            }
            guard case .retry = step else { return }
        }
    }

    /// The timeout for waiting for other processes that refresh.
    ///
    /// It is longer for a backend that accepts each token only once, because such a backend ends the session if two
    /// processes present the same token.
    var refreshLockTimeout: Duration {
        endpoint.contract.isConfirmed
            ? endpoint.attemptTimeout : endpoint.refreshTimeout + endpoint.attemptTimeout * 2
    }

    /// Compares the session with the store, and stores the intent of the credentials to be sent.
    private func prepare(_ id: Int) -> RefreshCredentials? {
        guard machine.isCurrent(refresh: id) else { return nil }
        save()
        for _ in 0..<Self.maximumConflicts {
            let stored = readStore()
            switch enqueuingLogoutOfUnsaved({ machine.prepare(id, stored: stored, at: clock.snapshot) }) {
            case .overtaken: return nil
            case .complete(let completion):
                complete(completion)
                publishPreparationResult(completion.answer)
                return nil
            case .restore: save()
            case .send(let pair):
                if case .success(let record) = stored { makeDurable(record) }
                publish()
                return pair
            case .writeIntent(let record, var session):
                session.intent = Intent.random().text
                do throws(SessionStoreError) {
                    // Whether or not this write succeeded, the next read shows which intent applies.
                    _ = try store.replace(record, with: record.with(session))
                } catch { return preparationFailed(id, error) }
            }
        }
        return preparationFailed(id, .tooManyConflicts)
    }

    /// Handles a failure to store an intent or to acquire the lock, after which nothing is sent.
    private func preparationFailed(_ id: Int, _ fault: SessionStoreError) -> RefreshCredentials? {
        complete(machine.preparationFailed(id, fault, now: clock.now()))
        published.emit(.refreshFailed(SessionError(fault)))
        return nil
    }

    // MARK: Events

    private func publishAttempt(_ answer: TokenEndpoint.RefreshAnswer, took duration: Duration) {
        trace?.attempts += 1
        var attempt = RefreshAttempt(number: trace?.attempts ?? 1, answer: answer, duration: duration)
        (attempt.status, attempt.failure) = endpoint.refreshTransfer.withLock { ($0.status, $0.failure) }
        published.emit(.refreshAttempted(attempt))
    }

    /// Resumes the callers that wait for new tokens, and emits the refresh.
    private func publishRefresh(_ completion: WaiterCompletion<Waiter>?) {
        complete(completion)
        let callers = completion?.waiters.count ?? 0
        if let trace { published.emit(.refreshed(trace.report(callers: callers, at: clock.now()))) }
        publishToken()
    }

    /// Emits the lifetime of the token in use.
    ///
    /// - Parameter importedExpiry: The expiry that an item of an older version has. The store has none of a token that
    ///   had expired before it was imported.
    func publishToken(importedExpiry: Date? = nil) {
        guard let currentSession = machine.currentSession else { return }
        let now = clock.now()
        let canRenew = machine.renewal.canRenew(currentSession.session)
        var report = AccessTokenReport(
            expiresAt: currentSession.token.token.expiresAt,
            remainingLifetime: currentSession.token.expiresAt - now,
            source: currentSession.token.source,
            refreshIn: canRenew ? max(.zero, max(due?.at ?? .zero, machine.earliestRefreshAhead) - now) : nil
        )
        if report.source == .unknown, let importedExpiry {
            report.expiresAt = min(importedExpiry, report.expiresAt)
            report.source = .stored
        }
        published.emit(.accessTokenReceived(report))
    }

    /// Emits that another process's tokens are in use.
    func publishAdoption() {
        published.emit(.adopted)
        publishToken()
    }

    /// Emits the result of a refresh that ended before a request was sent.
    private func publishPreparationResult(_ answer: Result<AccessToken, SessionError>) {
        switch answer {
        case .success: publishAdoption()
        // The state shows that the session was replaced or has ended.
        case .failure(.signedOut): break
        case .failure(let error): published.emit(.refreshFailed(error))
        }
    }

    /// Handles the result of an attempt.
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
            // The backend may refuse the token because an earlier attempt, whose response may still come, used it up.
            if awaitsLateAnswer(pair) { return failed(id, retryAfter: nil) }
            return handleUnverifiedEnd(id, pair, answer)
        case .other(.superseded):
            return isReport ? failed(id, retryAfter: nil) : superseded(id, pair)
        case .other(.throttled(let delay)), .other(.transient(let delay)):
            let connection = endpoint.refreshTransfer.withLock { $0.failure }
            return failed(id, retryAfter: delay, connectionFailure: connection)
        case .other(.invalidRequest(let fault)):
            return receivedUnusableResponse(id, .misconfigured(fault))
        case .other(.misconfigured(let fault)), .other(.contractViolation(let fault)):
            return receivedUnusableResponse(id, .invalidResponse(fault))
        case .other(.stepUp):
            return receivedUnusableResponse(id, .stepUpRequired)
        case .other(let outcome):
            return receivedUnusableResponse(id, .invalidResponse("the contract classifies it as \(outcome)"))
        }
    }

    private func receivedUnusableResponse(_ id: Int, _ error: SessionError) -> Step {
        complete(machine.receivedUnusableResponse(id, error, now: clock.now(), chance: clock.chance()))
        published.emit(.refreshFailed(error))
        return .done
    }

    private func failed(
        _ id: Int,
        retryAfter: Duration?,
        connectionFailure: SessionError.ConnectionFailure? = nil
    ) -> Step {
        let step = machine.failed(
            id,
            retryAfter: retryAfter,
            connectionFailure: connectionFailure,
            now: clock.now(),
            chance: clock.chance()
        )
        switch step {
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

    /// Handles the proof of a newer generation by another client: by a process whose stored record is newer, or by a
    /// stranger.
    private func superseded(_ id: Int, _ pair: RefreshCredentials) -> Step {
        // Tokens in memory that are not saved are newer than those sent, so there is nothing to report.
        guard let held = machine.currentSession?.session, held.generation == pair.generation,
            case .success(let record) = readStore()
        else { return failed(id, retryAfter: nil) }
        // Only a newer record, or none of this session, lets the next attempt present something else.
        guard let stored = record?.session, stored.id == pair.sessionID, stored.generation <= pair.generation
        else { return .retry }
        // Another process may have newer tokens that it could not store either.
        return stored.generation == pair.generation ? .report : failed(id, retryAfter: nil)
    }

    /// Handles a response that says the session has ended, sent by the server or by an intermediary.
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

    /// Ends the session as the server said, unless another process has stored a newer one.
    private func ended(_ id: Int, _ pair: RefreshCredentials, _ reason: SignOutReason) -> Step {
        for _ in 0..<Self.maximumConflicts {
            guard case .success(let record) = readStore() else { return failed(id, retryAfter: nil) }
            // The presented tokens may be newer than the stored ones.
            guard let record, let stored = record.session, stored.id == pair.sessionID,
                stored.generation <= pair.generation
            else { return .retry }
            do throws(SessionStoreError) {
                guard try store.replace(record, with: record.ending(reason, keeping: .none)) else { continue }
            } catch {
                // The record that is still stored must not be used as a session again.
                machine.pendingSignOut = .init(session: stored, reason: reason, time: clock.snapshot)
                keepSaving()
            }
            complete(machine.ended(id, reason))
            return .done
        }
        return failed(id, retryAfter: nil)
    }

    /// Enqueues a logout for tokens that no session uses, because a sign-out or another sign-in overtook the refresh.
    ///
    /// With Freshet's own protocol, a logout with any token of the session ends it, so the pending logout suffices.
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
        // A sign-out that is not stored yet gets the newest tokens.
        if machine.pendingSignOut?.session?.id == session.id { machine.pendingSignOut?.session = session }
        enqueueLogout(of: session)
    }

    /// Adopts new tokens: they are stored first, then returned, then confirmed.
    private func commit(_ id: Int, _ pair: RefreshCredentials, _ grant: SessionGrant, _ askedAt: ClockSnapshot) {
        if let fault = mismatch(grant, pair) {
            _ = receivedUnusableResponse(id, .invalidResponse(fault))
            return
        }
        store(grant, of: pair, askedAt) { currentSession in
            machine.refreshed(id, currentSession, now: clock.now(), chance: clock.chance())
        }
    }

    /// Returns the reason that tokens do not belong to the refreshed session; `nil` if they do.
    func mismatch(_ grant: SessionGrant, _ pair: RefreshCredentials) -> String? {
        // Only Freshet's own refresh tokens contain their session and generation. A session that another contract opened
        // has an ID and a count of this device.
        let presented = pair.refreshToken.flatMap { try? RefreshToken($0) }
        let isOurs =
            !endpoint.contract.isConfirmed
            || (grant.sessionID == presented?.session.description ?? pair.sessionID
                && (grant.generation ?? 0) > presented?.generation ?? pair.generation)
        guard isOurs, !grant.contradicts(pair.userID, from: pair.userSource) else {
            return "the answer is for another session"
        }
        // The access tokens of one session use the same identifiers; an ID token may identify the user differently.
        guard let before = UnverifiedJWT(pair.accessToken)?.subject,
            let now = UnverifiedJWT(grant.accessToken)?.subject,
            !before.hasSameBytes(as: now)
        else { return nil }
        return "the access token is for another subject"
    }

    func store(
        _ grant: SessionGrant,
        of pair: RefreshCredentials,
        _ askedAt: ClockSnapshot,
        completing: (CurrentSession) -> WaiterCompletion<Waiter>?
    ) {
        var before = machine.currentSession?.session
        // While the store cannot be written, one token may be presented again, with the same successor: one generation.
        if endpoint.contract.isConfirmed { before?.generation = pair.generation }
        let session = StoredSession(grant, askedAt: askedAt, before: before)
        var currentSession = CurrentSession(
            session: session,
            token: TimedAccessToken(grant, of: session.id, askedAt: askedAt, cause: machine.refreshCause),
            isSaved: false
        )
        switch saveIfCurrent(&currentSession) {
        case .replaced(let record):
            // Another process signed out or in while this one refreshed.
            complete(machine.adopt(record, at: clock.snapshot))
            enqueueLogoutOfUnusedGrant(.granted(grant), pair, askedAt)
        case .saved:
            publishRefresh(completing(currentSession))
            confirm(currentSession.session)
            if hasPendingLogout { deliverLogouts() }
        case .unsaved:
            publishRefresh(completing(currentSession))
            published.emit(.unsaved)
            keepSaving()
        }
    }
}

extension SessionStoreError {
    static let tooManyConflicts = SessionStoreError(.locked, "other processes keep changing the record")
}

extension StoredSession {
    /// Creates the session of a grant, without an intent yet.
    init(_ grant: SessionGrant, askedAt: ClockSnapshot, before: StoredSession? = nil) {
        self.init(
            id: before?.id ?? grant.sessionID ?? UUID.random().uuidString.lowercased(),
            generation: Self.generation(grant, before),
            // Without a new refresh token, the old one stays valid.
            refreshToken: grant.refreshToken ?? before?.refreshToken,
            intent: nil,
            accessToken: grant.accessToken,
            askedAt: askedAt.wall.timeIntervalSince1970,
            askedSinceBoot: askedAt.boot?.elapsed.inSeconds,
            boot: askedAt.boot?.boot,
            lifetime: grant.lifetime.inSeconds,
            // A known ID is kept: another source may identify the same user differently.
            userID: before?.userID ?? grant.userID,
            userSource: Self.userSource(grant, before),
            email: grant.email ?? before?.email,
            endsAt: Self.end(grant, askedAt, before),
            signedIn: before.map(\.signedIn) ?? StoredTime(askedAt)
        )
    }

    /// Returns the generation after a grant; a session that another contract opened is counted on.
    private static func generation(_ grant: SessionGrant, _ before: StoredSession?) -> UInt64 {
        guard let before else { return grant.generation ?? 0 }
        return grant.sessionID == before.id ? grant.generation ?? before.nextGeneration : before.nextGeneration
    }

    /// Returns the source of the user's ID; a record of an earlier version gets it from the first grant with the same
    /// ID.
    private static func userSource(_ grant: SessionGrant, _ before: StoredSession?) -> String? {
        guard let userID = before?.userID else { return grant.users.first?.source }
        return before?.userSource ?? grant.users.first { $0.id.hasSameBytes(as: userID) }?.source
    }

    private static func end(_ grant: SessionGrant, _ askedAt: ClockSnapshot, _ before: StoredSession?) -> Double? {
        if let end = before?.endsAt, !grant.isSessionExtended { return end }
        return grant.sessionLifetime.map { askedAt.wall.timeIntervalSince1970 + $0.inSeconds } ?? before?.endsAt
    }
}
