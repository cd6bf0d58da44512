// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionStateMachine {
    /// What is to be done before a refresh may be sent.
    enum Preparation {
        /// A sign-in, a sign-out or an adopted session overtook this refresh.
        case overtaken
        /// It ends here.
        case settle(Settlement<Waiter>)
        /// Make an intent durable in the place of this record, then prepare again.
        case writeIntent(SessionRecord, StoredSession)
        /// The pair is durable: send it.
        case send(RefreshPair)
    }

    /// An attempt is about to begin; `stored` was read just now.
    mutating func prepare(
        _ id: RefreshID,
        stored: Result<SessionRecord?, StoreUnavailable>,
        at moment: Moment
    ) -> Preparation {
        guard case .refreshing(var holding, var flight) = state, flight.id == id else { return .overtaken }
        flight.pause = nil
        state = .refreshing(holding, flight)
        let record: SessionRecord?
        switch stored {
        case .failure(let fault):
            retry.wait(until: moment.now + backoff.limit.bounded)
            return .settle(settle(holding, .failure(SessionError(fault))))
        case .success(let found): record = found
        }
        let base: StoredSession
        switch holding.comparison(with: record) {
        case .gone, .other:
            return .settle(adopt(record, at: moment))
        case .newer(let newer):
            holding = Holding(session: newer, token: LiveToken(newer, at: moment), isSaved: true)
            holding.token.cause = flight.cause
            if holding.token.isGood(at: moment.now) {
                retry.succeed()
                return .settle(settle(holding, .success(holding.token.token)))
            }
            state = .refreshing(holding, flight)
            base = newer
        case .same(let stored):
            // The intent may be another process's.
            holding.session.intent = stored.intent
            holding.isSaved = true
            state = .refreshing(holding, flight)
            base = stored
        case .older(let stored):
            holding.isSaved = false
            state = .refreshing(holding, flight)
            base = renewal.presentsUnsaved ? holding.session : stored
        }
        if let pair = RefreshPair(base, for: renewal) { return .send(pair) }
        guard renewal.needsIntent, renewal.canRenew(base) else {
            return .settle(settle(holding, .failure(.unsupported(.refresh))))
        }
        guard let record else { return .overtaken }
        return .writeIntent(record, base)
    }

    /// Goes over to what another process left in the store: somebody else's session, or none.
    mutating func adopt(_ record: SessionRecord?, at moment: Moment) -> Settlement<Waiter> {
        guard let session = record?.session else {
            let reason = record?.ended ?? .removed
            return leave(for: .signedOut(reason), answer: .failure(.signedOut(reason)))
        }
        let holding = Holding(session: session, token: LiveToken(session, at: moment), isSaved: true)
        return leave(for: .signedIn(holding), answer: .failure(.signedOut(.replaced)))
    }

    /// Whether a refresh still counts.
    func isCurrent(refresh id: RefreshID) -> Bool {
        if case .refreshing(_, let flight) = state { flight.id == id } else { false }
    }

    /// Why the refresh under way was started.
    var refreshCause: LiveToken.Cause {
        if case .refreshing(_, let flight) = state { flight.cause } else { .expiry }
    }

    /// New tokens came, and were stored if that was possible.
    ///
    /// An access token that has expired by now goes to those who wait for it, and the next refresh waits as after a failure:
    /// a server that issues such tokens is not asked at every call.
    mutating func refreshed(_ id: RefreshID, _ holding: Holding, now: Duration, chance: Double) -> Settlement<Waiter>? {
        guard isCurrent(refresh: id) else { return nil }
        if holding.token.isGood(at: now) {
            retry.succeed()
        } else {
            retry.receiveExpiredToken(backoff, now: now, chance: chance)
        }
        return settle(holding, .success(holding.token.token))
    }

    /// An attempt that was given up was answered after all, and its tokens were stored if that was possible.
    ///
    /// An attempt under way goes on, since its answer may bring tokens that are newer; no caller has to wait for it.
    mutating func refreshedLate(_ holding: Holding, now: Duration) -> Settlement<Waiter> {
        guard holding.token.isGood(at: now) else {
            update { $0 = holding }
            return Settlement(waiters: [], answer: .success(holding.token.token))
        }
        retry.succeed()
        guard case .refreshing(_, var flight) = state, !flight.isPausing else {
            return settle(holding, .success(holding.token.token))
        }
        let waiters = flight.allWaiters
        flight.waiters = [:]
        state = .refreshing(holding, flight)
        return Settlement(waiters: waiters, answer: .success(holding.token.token))
    }

    /// The server ended the session, and the store holds nothing newer.
    mutating func ended(_ id: RefreshID, _ reason: SignOutReason) -> Settlement<Waiter>? {
        guard isCurrent(refresh: id) else { return nil }
        return leave(for: .signedOut(reason), answer: .failure(.signedOut(reason)))
    }

    /// The store could not make an intent durable, so nothing was sent.
    ///
    /// Whoever comes next tries again at once; refreshes ahead of time, which nobody waits for, take their time.
    mutating func unprepared(_ id: RefreshID, _ fault: StoreUnavailable, now: Duration) -> Settlement<Waiter>? {
        guard case .refreshing(let holding, let flight) = state, flight.id == id else { return nil }
        retry.wait(until: now + backoff.limit.bounded)
        return settle(holding, .failure(SessionError(fault)))
    }

    /// The answer makes no sense, or asks for something that no refresh can give.
    ///
    /// That says nothing against the session, and asking again at once would not help.
    mutating func misunderstood(
        _ id: RefreshID,
        _ error: SessionError,
        now: Duration,
        chance: Double
    ) -> Settlement<Waiter>? {
        guard case .refreshing(let holding, let flight) = state, flight.id == id else { return nil }
        retry.misunderstand(backoff, now: now, chance: chance)
        return settle(holding, .failure(error))
    }

    /// An attempt was answered as if the session were over, and nothing but a status says so.
    ///
    /// Proxies and servers that are being replaced answer such statuses, too, so it takes two answers with a pause between.
    ///
    /// - Returns: Whether to ask again after the pause; `false` if this was the second answer.
    mutating func doubt(_ id: RefreshID, now: Duration, chance: Double) -> Bool {
        guard case .refreshing(let holding, var flight) = state, flight.id == id, !flight.isInDoubt
        else { return false }
        flight.isInDoubt = true
        flight.pause = .doubt(until: now + backoff.first.bounded * (2 + 2 * min(max(chance, 0), 1)))
        state = .refreshing(holding, flight)
        return true
    }

    /// The end of the pause that a refresh is in.
    func pauseEnd(of id: RefreshID) -> Duration? {
        if case .refreshing(_, let flight) = state, flight.id == id { flight.pause?.end } else { nil }
    }

    enum Retry {
        case overtaken
        /// These callers' patience ends before the next attempt, which follows the pause.
        case retry(dismissing: Settlement<Waiter>)
        /// Nobody waits any more; whoever comes next starts another refresh.
        case giveUp(Settlement<Waiter>)
    }

    /// An attempt failed in a way that another one may mend.
    mutating func failed(_ id: RefreshID, retryAfter: Duration?, now: Duration, chance: Double) -> Retry {
        guard case .refreshing(let holding, var flight) = state, flight.id == id else { return .overtaken }
        let delay = retry.fail(backoff, retryAfter: retryAfter, now: now, chance: chance)
        let dismissed = Settlement(
            waiters: flight.dismiss(before: now + delay),
            answer: .failure(.offline(retryAfter: delay))
        )
        guard !flight.waiters.isEmpty else {
            retry.wait(backoff, now: now, chance: chance)
            state = .signedIn(holding)
            return .giveUp(dismissed)
        }
        flight.pause = .backoff(until: now + delay)
        state = .refreshing(holding, flight)
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
        guard case .refreshing(let holding, var flight) = state, case .backoff(let end) = flight.pause else { return }
        flight.pause = .backoff(until: min(end, retry.nextAttempt))
        state = .refreshing(holding, flight)
    }

    private mutating func settle(_ holding: Holding, _ answer: Answer) -> Settlement<Waiter> {
        let waiters = if case .refreshing(_, let flight) = state { flight.allWaiters } else { [Waiter]() }
        state = .signedIn(holding)
        return Settlement(waiters: waiters, answer: answer)
    }
}

extension SessionStateMachine.Preparation: Equatable where Waiter: Equatable {}
extension SessionStateMachine.Retry: Equatable where Waiter: Equatable {}
