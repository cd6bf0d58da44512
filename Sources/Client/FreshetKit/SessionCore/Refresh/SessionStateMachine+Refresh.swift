// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionStateMachine {
    /// The step required before a refresh may be sent.
    enum Preparation {
        /// A sign-in, a sign-out or an adopted session overtook this refresh.
        case overtaken
        /// It ends here.
        case complete(WaiterCompletion<Waiter>)
        /// Make an intent durable in the place of this record, then prepare again.
        case writeIntent(SessionRecord, StoredSession)
        /// The pair is durable: send it.
        case send(RefreshCredentials)
    }

    /// An attempt is about to begin; `stored` was read just now.
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
            currentSession = CurrentSession(session: newer, token: TimedAccessToken(newer, at: moment), isSaved: true)
            currentSession.token.cause = flight.cause
            if currentSession.token.isValid(at: moment.now) {
                retry.succeed()
                return .complete(complete(currentSession, .success(currentSession.token.token)))
            }
            state = .refreshing(currentSession, flight)
            base = newer
        case .same(let stored):
            // The intent may be another process's.
            currentSession.session.intent = stored.intent
            currentSession.isSaved = true
            state = .refreshing(currentSession, flight)
            base = stored
        case .older(let stored):
            currentSession.isSaved = false
            state = .refreshing(currentSession, flight)
            base = renewal.presentsUnsaved ? currentSession.session : stored
        }
        if let pair = RefreshCredentials(base, for: renewal) { return .send(pair) }
        guard renewal.needsIntent, renewal.canRenew(base) else {
            return .complete(complete(currentSession, .failure(.unsupported(.refresh))))
        }
        guard let record else { return .overtaken }
        return .writeIntent(record, base)
    }

    /// Goes over to what another process left in the store: somebody else's session, or none.
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

    /// Whether a refresh still counts.
    func isCurrent(refresh id: RefreshID) -> Bool {
        if case .refreshing(_, let flight) = state { flight.id == id } else { false }
    }

    /// Why the refresh under way was started.
    var refreshCause: TimedAccessToken.Cause {
        if case .refreshing(_, let flight) = state { flight.cause } else { .expiry }
    }

    /// New tokens came, and were stored if that was possible.
    ///
    /// An access token that has expired by now goes to those who wait for it, and the next refresh waits as after a failure:
    /// a server that issues such tokens is not asked at every call.
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

    /// An attempt that was given up was answered after all, and its tokens were stored if that was possible.
    ///
    /// An attempt under way goes on, since its answer may bring tokens that are newer; no caller has to wait for it.
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

    /// The server ended the session, and the store holds nothing newer.
    mutating func ended(_ id: RefreshID, _ reason: SignOutReason) -> WaiterCompletion<Waiter>? {
        guard isCurrent(refresh: id) else { return nil }
        return transition(to: .signedOut(reason), answer: .failure(.signedOut(reason)))
    }

    /// The store could not make an intent durable, so nothing was sent.
    ///
    /// The next caller retries at once; refreshes ahead of expiry, for which no caller waits, back off.
    mutating func preparationFailed(_ id: RefreshID, _ fault: SessionStoreError, now: Duration) -> WaiterCompletion<
        Waiter
    >? {
        guard case .refreshing(let currentSession, let flight) = state, flight.id == id else { return nil }
        retry.wait(until: now + backoff.limit.bounded)
        return complete(currentSession, .failure(SessionError(fault)))
    }

    /// The answer makes no sense, or asks for something that no refresh can give.
    ///
    /// That says nothing against the session, and asking again at once would not help.
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

    /// An attempt was answered as if the session were over, and nothing but a status says so.
    ///
    /// Proxies and servers that are being replaced answer such statuses, too, so it takes two answers with a pause between.
    ///
    /// - Returns: Whether to ask again after the pause; `false` if this was the second answer.
    mutating func recordUnverifiedEnd(_ id: RefreshID, now: Duration, chance: Double) -> Bool {
        guard case .refreshing(let currentSession, var flight) = state, flight.id == id, !flight.hasUnverifiedEnd
        else { return false }
        flight.hasUnverifiedEnd = true
        flight.pause = .verification(until: now + backoff.first.bounded * (2 + 2 * min(max(chance, 0), 1)))
        state = .refreshing(currentSession, flight)
        return true
    }

    /// The end of the pause that a refresh is in.
    func pauseEnd(of id: RefreshID) -> Duration? {
        if case .refreshing(_, let flight) = state, flight.id == id { flight.pause?.end } else { nil }
    }

    enum Retry {
        case overtaken
        /// These callers' patience ends before the next attempt, which follows the pause.
        case retry(dismissing: WaiterCompletion<Waiter>)
        /// No caller waits any more; the next caller starts another refresh.
        case giveUp(WaiterCompletion<Waiter>)
    }

    /// An attempt failed in a way that another one may mend.
    mutating func failed(_ id: RefreshID, retryAfter: Duration?, now: Duration, chance: Double) -> Retry {
        guard case .refreshing(let currentSession, var flight) = state, flight.id == id else { return .overtaken }
        let delay = retry.fail(backoff, retryAfter: retryAfter, now: now, chance: chance)
        let dismissed = WaiterCompletion(
            waiters: flight.dismiss(before: now + delay),
            answer: .failure(.offline(retryAfter: delay))
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

    /// The network is back.
    mutating func networkReturned(now: Duration, chance: Double) {
        retry.networkReturned(now: now, chance: chance)
        shortenPause()
    }

    /// The user came back to the app, or wants something of the session: the next attempt need not wait for our own back-off.
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
