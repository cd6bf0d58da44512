// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionStateMachine {
    enum RequestAction {
        case answer(Answer)
        /// There is no better token than the one that was refused.
        case keepRefusal
        /// The token was refused, and nothing can bring another: the session is over.
        case end
        /// The waiter is kept; start this refresh, which may begin with a pause until this time.
        case startRefresh(RefreshID, at: Duration)
        /// The waiter is kept.
        case wait
    }

    /// A caller wants a token; `waiter` is kept until there is an answer for it.
    ///
    /// - Parameters:
    ///   - id: The number by which the caller can give up.
    ///   - waiter: The caller.
    ///   - need: What the token is for.
    ///   - now: The time on the session's clock.
    ///   - isUserInitiated: Whether the app asks, and not a part of the SDK that repeats by itself. After an outage the app's
    ///     call brings the next attempt forward.
    /// - Returns: The answer, or what to wait for.
    mutating func requestToken(
        _ id: WaiterID,
        _ waiter: Waiter,
        for need: TokenNeed,
        now: Duration,
        isUserInitiated: Bool = true
    ) -> RequestAction {
        if case .replacing(let refused, _) = need, let holding, holding.session.id != refused.sessionID {
            return .answer(.failure(.signedOut(.replaced)))
        }
        switch state {
        case .unknown(let fault): return .answer(.failure(SessionError(fault)))
        case .signedOut(let reason): return .answer(.failure(.signedOut(reason)))
        case .signedIn(let holding):
            if let action = serve(need, from: holding.token, now: now) { return action }
            guard renewal.canRenew(holding.session) else { return withoutRenewal(need, holding.token) }
            if case .replacing = need, schedule.isFreshAfterRejection(holding.token, now: now) { return .keepRefusal }
            if isUserInitiated { bringForward(now: now, isExplicit: need == .fresh) }
            let start = max(now, retry.nextAttempt)
            let deadline = now + patience
            guard start <= deadline else { return .answer(.failure(.offline(retryAfter: start - now))) }
            var flight = Flight<Waiter>(id: nextNumber(), cause: need.cause)
            flight.waiters[id] = .init(waiter: waiter, deadline: deadline)
            if start > now { flight.pause = .backoff(until: start) }
            state = .refreshing(holding, flight)
            return .startRefresh(flight.id, at: start)
        case .refreshing(let holding, _):
            if let action = serve(need, from: holding.token, now: now) { return action }
            if isUserInitiated { bringForward(now: now, isExplicit: need == .fresh) }
            guard case .refreshing(_, var flight) = state else { return .wait }
            let deadline = now + patience
            if let end = flight.pause?.end, end > deadline {
                return .answer(.failure(.offline(retryAfter: end - now)))
            }
            // The state lets go of the flight while it changes: else each caller of a crowd would copy all before it.
            state = .signedIn(holding)
            if need.cause == .rejection { flight.cause = .rejection }
            flight.waiters[id] = .init(waiter: waiter, deadline: deadline)
            state = .refreshing(holding, flight)
            return .wait
        }
    }

    /// Serves from a token that nothing can follow: it is used until the server refuses it, whatever our clock says.
    private func withoutRenewal(_ need: TokenNeed, _ token: LiveToken) -> RequestAction {
        switch need {
        case .replacing(let refused, let isHome) where refused.value == token.token.value: isHome ? .end : .keepRefusal
        case .good, .replacing: .answer(.success(token.token))
        case .fresh: .answer(.failure(.unsupported(.refresh)))
        }
    }

    /// The session is over because nothing can follow its refused token.
    mutating func endUnrenewable() -> Settlement<Waiter> {
        leave(for: .signedOut(.unrenewable), answer: .failure(.signedOut(.unrenewable)))
    }

    private func serve(_ need: TokenNeed, from token: LiveToken, now: Duration) -> RequestAction? {
        guard token.isGood(at: now) else { return nil }
        switch need {
        case .good: return .answer(.success(token.token))
        case .replacing(let refused, _) where refused.value != token.token.value: return .answer(.success(token.token))
        case .replacing, .fresh: return nil
        }
    }

    /// A good token is near its end: refresh it while it is still good, with nobody waiting.
    ///
    /// - Returns: `nil` if there is nothing to do, or if a failure is too recent.
    mutating func refreshAhead(now: Duration) -> RefreshID? {
        guard case .signedIn(let holding) = state, now >= earliestRefreshAhead, renewal.canRenew(holding.session)
        else { return nil }
        let flight = Flight<Waiter>(id: nextNumber(), cause: .expiry)
        state = .refreshing(holding, flight)
        return flight.id
    }

    /// A caller gave up; the refresh goes on for the others, and for whoever comes next.
    mutating func cancel(_ id: WaiterID) -> Waiter? {
        guard case .refreshing(let holding, var flight) = state else { return nil }
        state = .signedIn(holding)
        let waiting = flight.waiters.removeValue(forKey: id)
        state = .refreshing(holding, flight)
        return waiting?.waiter
    }

    /// Time passed, and somebody's patience may have ended.
    mutating func expirePatience(now: Duration) -> Settlement<Waiter> {
        var waiters: [Waiter] = []
        if case .refreshing(let holding, var flight) = state {
            // A deadline of exactly now is over.
            waiters = flight.dismiss(before: now + .nanoseconds(1))
            state = .refreshing(holding, flight)
        }
        return Settlement(waiters: waiters, answer: .failure(.offline(retryAfter: nil)))
    }

    /// When the next caller's patience ends.
    var nextPatienceEnd: Duration? {
        guard case .refreshing(_, let flight) = state else { return nil }
        return flight.waiters.values.map(\.deadline).min()
    }
}

extension TokenNeed {
    fileprivate var cause: LiveToken.Cause {
        if case .replacing = self { .rejection } else { .expiry }
    }
}

extension SessionStateMachine.RequestAction: Equatable where Waiter: Equatable {}
