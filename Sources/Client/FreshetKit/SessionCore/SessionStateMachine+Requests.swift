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
    ///   - need: The requirement that the token must meet.
    ///   - now: The time on the session's clock.
    ///   - isUserInitiated: Whether the app asks, and not a part of the SDK that repeats by itself. After an outage the app's
    ///     call brings the next attempt forward.
    /// - Returns: The answer, or what to wait for.
    mutating func requestToken(
        _ id: WaiterID,
        _ waiter: Waiter,
        for need: TokenRequirement,
        now: Duration,
        isUserInitiated: Bool = true
    ) -> RequestAction {
        if case .replacing(let refused, _) = need, let currentSession, currentSession.session.id != refused.sessionID {
            return .answer(.failure(.signedOut(.replaced)))
        }
        switch state {
        case .unknown(let fault): return .answer(.failure(SessionError(fault)))
        case .signedOut(let reason): return .answer(.failure(.signedOut(reason)))
        case .signedIn(let currentSession):
            if let action = serve(need, from: currentSession.token, now: now) { return action }
            guard renewal.canRenew(currentSession.session) else { return withoutRenewal(need, currentSession.token) }
            if case .replacing = need, schedule.isFreshAfterRejection(currentSession.token, now: now) {
                return .keepRefusal
            }
            if isUserInitiated { bringForward(now: now, isExplicit: need == .refreshed) }
            let start = max(now, retry.nextAttempt)
            let deadline = now + patience
            guard start <= deadline else { return .answer(.failure(.offline(retryAfter: start - now))) }
            var flight = RefreshInFlight<Waiter>(id: nextNumber(), cause: need.cause)
            flight.waiters[id] = .init(waiter: waiter, deadline: deadline)
            if start > now { flight.pause = .backoff(until: start) }
            state = .refreshing(currentSession, flight)
            return .startRefresh(flight.id, at: start)
        case .refreshing(let currentSession, _):
            if let action = serve(need, from: currentSession.token, now: now) { return action }
            if isUserInitiated { bringForward(now: now, isExplicit: need == .refreshed) }
            guard case .refreshing(_, var flight) = state else { return .wait }
            let deadline = now + patience
            if let end = flight.pause?.end, end > deadline {
                return .answer(.failure(.offline(retryAfter: end - now)))
            }
            // The state lets go of the flight while it changes: else each caller of a crowd would copy all before it.
            state = .signedIn(currentSession)
            if need.cause == .rejection { flight.cause = .rejection }
            flight.waiters[id] = .init(waiter: waiter, deadline: deadline)
            state = .refreshing(currentSession, flight)
            return .wait
        }
    }

    /// Serves from a token that nothing can follow: it is used until the server refuses it, whatever our clock says.
    private func withoutRenewal(_ need: TokenRequirement, _ token: TimedAccessToken) -> RequestAction {
        switch need {
        case .replacing(let refused, let isBaseOrigin) where refused.value == token.token.value:
            isBaseOrigin ? .end : .keepRefusal
        case .valid, .replacing: .answer(.success(token.token))
        case .refreshed: .answer(.failure(.unsupported(.refresh)))
        }
    }

    /// The session is over because nothing can follow its refused token.
    mutating func endUnrenewable() -> WaiterCompletion<Waiter> {
        transition(to: .signedOut(.unrenewable), answer: .failure(.signedOut(.unrenewable)))
    }

    private func serve(_ need: TokenRequirement, from token: TimedAccessToken, now: Duration) -> RequestAction? {
        guard token.isValid(at: now) else { return nil }
        switch need {
        case .valid: return .answer(.success(token.token))
        case .replacing(let refused, _) where refused.value != token.token.value: return .answer(.success(token.token))
        case .replacing, .refreshed: return nil
        }
    }

    /// A good token is near its end: refresh it while it is still good, with nobody waiting.
    ///
    /// - Returns: `nil` if there is nothing to do, or if a failure is too recent.
    mutating func refreshAhead(now: Duration) -> RefreshID? {
        guard case .signedIn(let currentSession) = state, now >= earliestRefreshAhead,
            renewal.canRenew(currentSession.session)
        else { return nil }
        let flight = RefreshInFlight<Waiter>(id: nextNumber(), cause: .expiry)
        state = .refreshing(currentSession, flight)
        return flight.id
    }

    /// A caller gave up; the refresh goes on for the others, and for whoever comes next.
    mutating func cancel(_ id: WaiterID) -> Waiter? {
        guard case .refreshing(let currentSession, var flight) = state else { return nil }
        state = .signedIn(currentSession)
        let waiting = flight.waiters.removeValue(forKey: id)
        state = .refreshing(currentSession, flight)
        return waiting?.waiter
    }

    /// Time passed, and somebody's patience may have ended.
    mutating func expireWaiters(now: Duration) -> WaiterCompletion<Waiter> {
        var waiters: [Waiter] = []
        if case .refreshing(let currentSession, var flight) = state {
            // A deadline of exactly now is over.
            waiters = flight.dismiss(before: now + .nanoseconds(1))
            state = .refreshing(currentSession, flight)
        }
        return WaiterCompletion(waiters: waiters, answer: .failure(.offline(retryAfter: nil)))
    }

    /// When the next caller's patience ends.
    var nextWaiterDeadline: Duration? {
        guard case .refreshing(_, let flight) = state else { return nil }
        return flight.waiters.values.map(\.deadline).min()
    }
}

extension TokenRequirement {
    fileprivate var cause: TimedAccessToken.Cause {
        if case .replacing = self { .rejection } else { .expiry }
    }
}

extension SessionStateMachine.RequestAction: Equatable where Waiter: Equatable {}
