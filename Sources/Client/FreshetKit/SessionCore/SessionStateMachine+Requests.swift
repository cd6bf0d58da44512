// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionStateMachine {
    enum RequestAction {
        case answer(Answer)
        /// No token is newer than the refused one.
        case keepRefusal
        /// The token was refused and the session cannot be renewed: it has ended.
        case end
        /// The waiter was stored; start this refresh, which begins with a pause if this time is in the future.
        case startRefresh(RefreshID, at: Duration)
        /// The waiter was stored.
        case wait
    }

    /// Handles a caller's request for a token.
    ///
    /// - Parameters:
    ///   - id: The number with which the caller can cancel.
    ///   - waiter: The caller; stored until there is an answer for it.
    ///   - need: The requirement that the token must meet.
    ///   - now: The time on the session's clock.
    ///   - isUserInitiated: Whether the app requests it, and not an automatic part of the SDK. After an outage, the
    ///     app's request brings the next attempt forward.
    /// - Returns: The answer, or the action to take while the caller waits.
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
            let deadline = now + callerTimeout
            guard start <= deadline else { return .answer(.failure(offline(retryAfter: start - now))) }
            var flight = RefreshInFlight<Waiter>(id: nextNumber(), cause: need.cause)
            flight.waiters[id] = .init(waiter: waiter, deadline: deadline)
            if start > now { flight.pause = .backoff(until: start) }
            state = .refreshing(currentSession, flight)
            return .startRefresh(flight.id, at: start)
        case .refreshing(let currentSession, _):
            if let action = serve(need, from: currentSession.token, now: now) { return action }
            if isUserInitiated { bringForward(now: now, isExplicit: need == .refreshed) }
            guard case .refreshing(_, var flight) = state else { return .wait }
            let deadline = now + callerTimeout
            if let end = flight.pause?.end, end > deadline {
                return .answer(.failure(offline(retryAfter: end - now)))
            }
            // While the waiters change, the state must not hold a second reference to them: otherwise each new caller
            // would cause a copy of all earlier ones.
            state = .signedIn(currentSession)
            if need.cause == .rejection { flight.cause = .rejection }
            flight.waiters[id] = .init(waiter: waiter, deadline: deadline)
            state = .refreshing(currentSession, flight)
            return .wait
        }
    }

    /// Answers with a token of a session that cannot be renewed: it is used until the server refuses it, regardless of
    /// the device's clock.
    private func withoutRenewal(_ need: TokenRequirement, _ token: TimedAccessToken) -> RequestAction {
        switch need {
        case .replacing(let refused, let isBaseOrigin) where refused.value == token.token.value:
            isBaseOrigin ? .end : .keepRefusal
        case .valid, .replacing: .answer(.success(token.token))
        case .refreshed: .answer(.failure(.unsupported(.refresh)))
        }
    }

    /// Ends a session that cannot be renewed and whose token was refused.
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

    /// Starts a refresh of a token that is still valid, for which no caller waits.
    ///
    /// - Returns: The refresh; `nil` if none is due, or if a failure is too recent.
    mutating func refreshAhead(now: Duration) -> RefreshID? {
        guard case .signedIn(let currentSession) = state, now >= earliestRefreshAhead,
            renewal.canRenew(currentSession.session)
        else { return nil }
        let flight = RefreshInFlight<Waiter>(id: nextNumber(), cause: .expiry)
        state = .refreshing(currentSession, flight)
        return flight.id
    }

    /// Removes a cancelled caller; the refresh continues for other callers.
    mutating func cancel(_ id: WaiterID) -> Waiter? {
        guard case .refreshing(let currentSession, var flight) = state else { return nil }
        state = .signedIn(currentSession)
        let waiting = flight.waiters.removeValue(forKey: id)
        state = .refreshing(currentSession, flight)
        return waiting?.waiter
    }

    /// Removes the callers whose timeout has ended.
    mutating func expireWaiters(now: Duration) -> WaiterCompletion<Waiter> {
        var waiters: [Waiter] = []
        if case .refreshing(let currentSession, var flight) = state {
            // A deadline equal to `now` has passed.
            waiters = flight.dismiss(before: now + .nanoseconds(1))
            state = .refreshing(currentSession, flight)
        }
        return WaiterCompletion(waiters: waiters, answer: .failure(.offline(retryAfter: nil, failure: .timedOut)))
    }

    /// The error for callers that get no token, with the reason that the latest attempt failed.
    func offline(retryAfter: Duration?) -> SessionError {
        .offline(retryAfter: retryAfter, failure: retry.connectionFailure)
    }

    /// The time at which the next caller's timeout ends.
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
