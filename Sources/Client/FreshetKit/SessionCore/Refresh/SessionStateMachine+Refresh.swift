// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionStateMachine {
    /// The step required before a refresh may be sent.
    enum Preparation {
        /// A sign-in, a sign-out or an adopted session replaced the session of this refresh.
        case overtaken
        /// The refresh ends without a request.
        case complete(WaiterCompletion<Waiter>)
        /// Store the newer tokens in memory again, then prepare again.
        case restore
        /// Store an intent in place of this record, then prepare again.
        case writeIntent(SessionRecord, StoredSession)
        /// The credentials are stored: send them.
        case send(RefreshCredentials)
    }

    /// Prepares an attempt; `stored` was read just before.
    mutating func prepare(
        _ id: RefreshID,
        stored: Result<SessionRecord?, SessionStoreError>,
        at moment: ClockSnapshot
    ) -> Preparation {
        guard case .refreshing(var currentSession, var flight) = state, flight.id == id else { return .overtaken }
        flight.pause = nil
        state = .refreshing(currentSession, flight)
        let record: SessionRecord?
        switch stored {
        case .failure(let fault):
            retry.wait(until: moment.now + backoff.limit.bounded)
            return .complete(complete(currentSession, .failure(SessionError(fault))))
        case .success(let found): record = found
        }
        let base: StoredSession
        switch currentSession.comparison(with: record) {
        case .gone, .other:
            return .complete(adopt(record, at: moment))
        case .newer(let newer):
            currentSession.adopt(newer, at: moment)
            currentSession.token.cause = flight.cause
            if currentSession.token.isValid(at: moment.now) {
                retry.succeed()
                return .complete(complete(currentSession, .success(currentSession.token.token)))
            }
            state = .refreshing(currentSession, flight)
            base = newer
        case .same(let stored):
            // Another process may have stored the intent.
            currentSession.session.intent = stored.intent
            currentSession.isSaved = true
            state = .refreshing(currentSession, flight)
            base = stored
        case .older(let stored):
            let wasSaved = currentSession.isSaved
            currentSession.isSaved = false
            state = .refreshing(currentSession, flight)
            // Something set the store back. The server may not accept its token with another intent.
            if wasSaved { return .restore }
            base = renewal.presentsUnsaved ? currentSession.session : stored
        }
        if let pair = RefreshCredentials(base, for: renewal) { return .send(pair) }
        guard renewal.needsIntent, renewal.canRenew(base) else {
            return .complete(complete(currentSession, .failure(.unsupported(.refresh))))
        }
        guard let record else { return .overtaken }
        return .writeIntent(record, base)
    }

    /// Adopts a change that another process made in the store: the session of another sign-in, or no session.
    mutating func adopt(_ record: SessionRecord?, at moment: ClockSnapshot) -> WaiterCompletion<Waiter> {
        guard let session = record?.session else {
            let reason = record?.ended ?? .removed
            return transition(to: .signedOut(reason), answer: .failure(.signedOut(reason)))
        }
        let currentSession = CurrentSession(
            session: session,
            token: TimedAccessToken(session, at: moment),
            isSaved: true
        )
        return transition(to: .signedIn(currentSession), answer: .failure(.signedOut(.replaced)))
    }

    /// Whether a refresh is still in progress and was not overtaken.
    func isCurrent(refresh id: RefreshID) -> Bool {
        if case .refreshing(_, let flight) = state { flight.id == id } else { false }
    }

    /// The cause of the refresh in progress.
    var refreshCause: TimedAccessToken.Cause {
        if case .refreshing(_, let flight) = state { flight.cause } else { .expiry }
    }

    /// Handles new tokens, which were stored if possible.
    ///
    /// An access token that has already expired is returned to the waiting callers, and the next refresh waits as after
    /// a failure, so that a server that issues such tokens does not get a request for every call.
    mutating func refreshed(_ id: RefreshID, _ currentSession: CurrentSession, now: Duration, chance: Double)
        -> WaiterCompletion<Waiter>?
    {
        guard isCurrent(refresh: id) else { return nil }
        if currentSession.token.isValid(at: now) {
            retry.succeed()
        } else {
            retry.receiveExpiredToken(backoff, now: now, chance: chance)
        }
        return complete(currentSession, .success(currentSession.token.token))
    }

    /// Handles a late response to an attempt that timed out; its tokens were stored if possible.
    ///
    /// A refresh in progress continues, because its response may have newer tokens, but no caller has to wait for it.
    mutating func refreshedLate(_ currentSession: CurrentSession, now: Duration) -> WaiterCompletion<Waiter> {
        guard currentSession.token.isValid(at: now) else {
            update { $0 = currentSession }
            return WaiterCompletion(waiters: [], answer: .success(currentSession.token.token))
        }
        retry.succeed()
        guard case .refreshing(_, var flight) = state, !flight.isPausing else {
            return complete(currentSession, .success(currentSession.token.token))
        }
        let waiters = flight.allWaiters
        flight.waiters = [:]
        state = .refreshing(currentSession, flight)
        return WaiterCompletion(waiters: waiters, answer: .success(currentSession.token.token))
    }

    /// Ends the session, because the server ended it and the store has no newer one.
    mutating func ended(_ id: RefreshID, _ reason: SignOutReason) -> WaiterCompletion<Waiter>? {
        guard isCurrent(refresh: id) else { return nil }
        return transition(to: .signedOut(reason), answer: .failure(.signedOut(reason)))
    }

    /// Handles a failure to store an intent, after which nothing was sent.
    ///
    /// The next caller retries at once; refreshes ahead of expiry, for which no caller waits, back off.
    mutating func preparationFailed(_ id: RefreshID, _ fault: SessionStoreError, now: Duration) -> WaiterCompletion<
        Waiter
    >? {
        guard case .refreshing(let currentSession, let flight) = state, flight.id == id else { return nil }
        retry.wait(until: now + backoff.limit.bounded)
        return complete(currentSession, .failure(SessionError(fault)))
    }

    /// Handles a response that is invalid, or that requires something a refresh cannot provide.
    ///
    /// It does not affect the session, and an immediate retry would not help.
    mutating func receivedUnusableResponse(
        _ id: RefreshID,
        _ error: SessionError,
        now: Duration,
        chance: Double
    ) -> WaiterCompletion<Waiter>? {
        guard case .refreshing(let currentSession, let flight) = state, flight.id == id else { return nil }
        retry.recordUnusableResponse(backoff, now: now, chance: chance)
        return complete(currentSession, .failure(error))
    }

    /// Records a response whose status alone says that the session has ended.
    ///
    /// Proxies and servers that are being replaced send such statuses, too, so the session ends only after two such
    /// responses with a pause between them.
    ///
    /// - Returns: Whether to retry after the pause; `false` if this was the second response.
    mutating func recordUnverifiedEnd(_ id: RefreshID, now: Duration, chance: Double) -> Bool {
        guard case .refreshing(let currentSession, var flight) = state, flight.id == id, !flight.hasUnverifiedEnd
        else { return false }
        flight.hasUnverifiedEnd = true
        flight.pause = .verification(until: now + backoff.first.bounded * (2 + 2 * min(max(chance, 0), 1)))
        state = .refreshing(currentSession, flight)
        return true
    }

    /// Returns the end of the current pause of a refresh.
    func pauseEnd(of id: RefreshID) -> Duration? {
        if case .refreshing(_, let flight) = state, flight.id == id { flight.pause?.end } else { nil }
    }

    enum Retry {
        case overtaken
        /// Retry after the pause; these callers' timeout ends before the next attempt.
        case retry(dismissing: WaiterCompletion<Waiter>)
        /// No caller waits any longer; the next caller starts another refresh.
        case giveUp(WaiterCompletion<Waiter>)
    }

    /// Handles a failed attempt after which a retry may succeed.
    mutating func failed(
        _ id: RefreshID,
        retryAfter: Duration?,
        connectionFailure: SessionError.ConnectionFailure? = nil,
        now: Duration,
        chance: Double
    ) -> Retry {
        guard case .refreshing(let currentSession, var flight) = state, flight.id == id else { return .overtaken }
        let delay = retry.fail(
            backoff,
            retryAfter: retryAfter,
            connectionFailure: connectionFailure,
            now: now,
            chance: chance
        )
        let persists = connectionFailure?.persists == true
        let dismissed = WaiterCompletion(
            waiters: persists ? flight.dismissAll() : flight.dismiss(before: now + delay),
            answer: .failure(offline(retryAfter: delay))
        )
        guard !flight.waiters.isEmpty else {
            retry.wait(backoff, now: now, chance: chance)
            state = .signedIn(currentSession)
            return .giveUp(dismissed)
        }
        flight.pause = .backoff(until: now + delay)
        state = .refreshing(currentSession, flight)
        return .retry(dismissing: dismissed)
    }

    /// Handles the return of the network.
    mutating func networkReturned(now: Duration, chance: Double) {
        retry.networkReturned(now: now, chance: chance)
        shortenPause()
    }

    /// Brings the next attempt forward, because the user returned to the app or the app uses the session.
    ///
    /// The attempt does not have to wait for the client's back-off.
    mutating func bringForward(now: Duration, isExplicit: Bool = false) {
        retry.bringForward(now: now, isExplicit: isExplicit)
        shortenPause()
    }

    private mutating func shortenPause() {
        guard case .refreshing(let currentSession, var flight) = state, case .backoff(let end) = flight.pause else {
            return
        }
        flight.pause = .backoff(until: min(end, retry.nextAttempt))
        state = .refreshing(currentSession, flight)
    }

    private mutating func complete(_ currentSession: CurrentSession, _ answer: Answer) -> WaiterCompletion<Waiter> {
        let waiters = if case .refreshing(_, let flight) = state { flight.allWaiters } else { [Waiter]() }
        state = .signedIn(currentSession)
        return WaiterCompletion(waiters: waiters, answer: answer)
    }
}

extension SessionStateMachine.Preparation: Equatable where Waiter: Equatable {}
extension SessionStateMachine.Retry: Equatable where Waiter: Equatable {}
