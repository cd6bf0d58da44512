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
        flight.isPausing = false
        state = .refreshing(holding, flight)
        let record: SessionRecord?
        switch stored {
        case .failure(let fault):
            quietUntil = moment.now + backoff.limit
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
                forgetFailures()
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
    mutating func refreshed(_ id: RefreshID, _ holding: Holding) -> Settlement<Waiter>? {
        guard isCurrent(refresh: id) else { return nil }
        forgetFailures()
        return settle(holding, .success(holding.token.token))
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
        quietUntil = now + backoff.limit
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
        failures += 1
        paused = now + backoff.delay(afterFailures: failures, retryAfter: nil, chance: chance)
        quietUntil = now + backoff.patient.delay(afterFailures: failures, retryAfter: nil, chance: chance)
        return settle(holding, .failure(error))
    }

    /// An attempt was answered as if the session were over, and nothing but a status says so.
    ///
    /// Proxies and servers that are being replaced answer such statuses, too, so it takes two answers with a pause between.
    ///
    /// - Returns: When to ask again; `nil` if this was the second answer.
    mutating func doubt(_ id: RefreshID, now: Duration, chance: Double) -> Duration? {
        guard case .refreshing(let holding, var flight) = state, flight.id == id, !flight.isInDoubt else { return nil }
        flight.isInDoubt = true
        flight.isPausing = true
        state = .refreshing(holding, flight)
        return now + backoff.first * (2 + 2 * min(max(chance, 0), 1))
    }

    enum Retry {
        case overtaken
        /// These callers' patience ends before the next attempt; the attempt is at this time.
        case retry(at: Duration, dismissing: Settlement<Waiter>)
        /// Nobody waits any more; whoever comes next starts another refresh.
        case giveUp(Settlement<Waiter>)
    }

    /// An attempt failed in a way that another one may mend.
    mutating func failed(_ id: RefreshID, retryAfter: Duration?, now: Duration, chance: Double) -> Retry {
        guard case .refreshing(let holding, var flight) = state, flight.id == id else { return .overtaken }
        failures += 1
        let delay = backoff.delay(afterFailures: failures, retryAfter: retryAfter, chance: chance)
        paused = now + delay
        if retryAfter != nil { held = paused }
        let dismissed = Settlement(
            waiters: flight.dismiss(before: paused),
            answer: .failure(.offline(retryAfter: delay))
        )
        guard !flight.waiters.isEmpty else {
            quietUntil = now + backoff.patient.delay(afterFailures: failures, retryAfter: nil, chance: chance)
            state = .signedIn(holding)
            return .giveUp(dismissed)
        }
        flight.isPausing = true
        state = .refreshing(holding, flight)
        return .retry(at: paused, dismissing: dismissed)
    }

    /// The network is back: what failed before says nothing any more, except a server's own wish.
    ///
    /// Refreshes that nobody waits for spread over a second, since the network comes back for many at once.
    mutating func networkReturned(now: Duration, chance: Double) {
        failures = min(failures, 1)
        paused = .zero
        quietUntil = failures > 0 ? now + .seconds(1) * chance : .zero
    }

    private mutating func settle(_ holding: Holding, _ answer: Answer) -> Settlement<Waiter> {
        let waiters = if case .refreshing(_, let flight) = state { flight.allWaiters } else { [Waiter]() }
        state = .signedIn(holding)
        return Settlement(waiters: waiters, answer: answer)
    }
}

extension SessionStateMachine.Preparation: Equatable where Waiter: Equatable {}
extension SessionStateMachine.Retry: Equatable where Waiter: Equatable {}
