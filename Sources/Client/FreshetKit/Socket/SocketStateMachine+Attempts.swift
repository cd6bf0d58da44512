// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketStateMachine {
    /// Handles a token; `nil` means that no token is newer than the refused one.
    mutating func tokenReceived(_ number: Number, _ token: SocketToken?, now: Duration, chance: Double) -> Action {
        guard case .fetching(number, let need) = state else { return .nothing }
        guard let token else {
            // A refresh would not help now; the server may accept the token later.
            guard case .replacing = need else { return begin(.validFor(rules.minimumTokenLifetime), now: now) }
            return wait(
                pause(for: lastInterruption, retryAfter: nil, .validFor(rules.minimumTokenLifetime), now, chance)
            )
        }
        if let owner, owner != token.sessionID { return stop(.signedOut(.replaced)) }
        owner = token.sessionID
        state = .connecting(number, token)
        return .connect(number, token)
    }

    /// Handles the failure to obtain a token.
    ///
    /// - Parameters:
    ///   - number: The number of the attempt.
    ///   - error: The error of the token request.
    ///   - session: The session's current state. A sign-out during the token request was left to it, and the request may fail
    ///     for another reason, for example by its timeout.
    ///   - now: The time on the session's clock.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: The next action.
    mutating func tokenFailed(
        _ number: Number,
        _ error: SessionError,
        session: SessionState,
        now: Duration,
        chance: Double
    ) -> Action {
        guard case .fetching(number, let need) = state else { return .nothing }
        switch (error, session) {
        case (.signedOut(let reason), _), (_, .signedOut(let reason)):
            return go(to: .close(.signedOut(reason)), now: now)
        case (.stepUpRequired, _): return go(to: .close(.stepUpRequired), now: now)
        case (.offline(let delay, _), _):
            // The session itself observes its server's `Retry-After`, so the socket does not record it: a returning
            // network may shorten this pause.
            let before = retryAfterEnd
            let pause = pause(for: .session(error), retryAfter: delay, need, now, chance)
            retryAfterEnd = before
            return wait(pause)
        case (.storeUnavailable, _), (.recordUnusable, _), (.refused, _), (.misconfigured, _), (.invalidResponse, _),
            (.unsupported, _), (.cancelled, _):
            return wait(pause(for: .session(error), retryAfter: nil, need, now, chance))
        }
    }

    /// Handles an opened connection.
    ///
    /// - Returns: `nothing` if the attempt is obsolete: the connection has to be closed.
    mutating func connected(_ number: Number, now: Duration) -> Action {
        guard case .connecting(number, let token) = state else { return .nothing }
        connections += 1
        let link = Link(token: token, openedAt: now, connection: connections)
        state = .open(number, link)
        let renewalAt = rules.renewalTime(of: token, openedAt: now)
        return .serve(number, connection: connections, renewalAt: renewalAt)
    }

    /// Handles a failed attempt, or the end of a connection.
    mutating func ended(_ number: Number, _ failure: SocketFailure, now: Duration, chance: Double) -> Action {
        switch state {
        case .connecting(number, let token):
            return go(to: next(after: failure, token, isOver: false, now, chance), now: now)
        case .open(number, let link):
            if now - link.openedAt >= rules.stableAfter { forgetFailures() }
            // A server that closes a connection because its token has expired behaves as expected, so this is not a
            // failure.
            let isOver = link.token.expiresWithin(rules.minimumTokenLifetime, now: now)
            let next = next(after: failure, link.token, isOver: isOver, now, chance)
            return disconnect(number, code: 1000, then: next)
        default: return .nothing
        }
    }

    /// Handles the end of a connection that was being closed.
    mutating func disconnected(_ number: Number, now: Duration) -> Action {
        guard case .ending(number, let next) = state else { return .nothing }
        return go(to: next, now: now)
    }

    /// Handles the end of a pause.
    mutating func wake(_ number: Number, now: Duration) -> Action {
        guard case .waiting(number, var pause) = state else { return .nothing }
        if isNetworkDown, pause.interruption != .noNetwork {
            pause.interruption = .noNetwork
            pause.until = now + rules.backoff.limit
            return wait(pause)
        }
        return begin(pause.need, now: now)
    }

    // MARK: Renewal

    /// Starts a renewal, because the token of the open connection is about to expire.
    mutating func renewalDue(_ number: Number) -> Action {
        guard case .open(number, var link) = state, !link.isRenewing else { return .nothing }
        link.isRenewing = true
        state = .open(number, link)
        return .renew(number, .newer(than: link.token.token))
    }

    /// Handles the new token of the open connection; without one, the server decides about the old one.
    mutating func renewed(_ number: Number, _ token: SocketToken?) -> Action {
        guard case .open(number, var link) = state, link.isRenewing else { return .nothing }
        link.isRenewing = false
        state = .open(number, link)
        guard let token, token.token.value != link.token.token.value else { return .nothing }
        guard token.sessionID == owner else { return stop(.signedOut(.replaced)) }
        if case .reconnect = rules.renewal {
            return disconnect(number, code: 1000, then: .fetch(.validFor(rules.minimumTokenLifetime)))
        }
        link.token = token
        state = .open(number, link)
        return .push(number, token, renewalAt: rules.renewalTime(of: token, openedAt: link.openedAt))
    }

    // MARK: Decisions

    private mutating func next(
        after failure: SocketFailure,
        _ token: SocketToken,
        isOver: Bool,
        _ now: Duration,
        _ chance: Double
    ) -> Next {
        let lasting = SocketTokenRequirement.validFor(rules.minimumTokenLifetime)
        switch failure.outcome {
        case .accessExpired, .sessionEnded:
            // The refresh decides whether the session has ended.
            lastInterruption = failure.interruption
            let need = SocketTokenRequirement.replacing(token.token, isBaseOrigin: failure.isBaseOrigin)
            if isOver { return .fetch(need) }
            if !hasReplaced {
                hasReplaced = true
                return .fetch(need)
            }
            return .wait(pause(for: failure.interruption, retryAfter: nil, need, now, chance))
        case .throttled(let delay), .transient(let delay):
            return .wait(pause(for: failure.interruption, retryAfter: delay, lasting, now, chance))
        case .delivered:
            return .wait(pause(for: failure.interruption, retryAfter: nil, lasting, now, chance))
        case .forbidden, .stepUp, .refused, .invalidRequest, .misconfigured, .contractViolation, .superseded:
            // A caller that reopens the socket at once must still wait for the back-off.
            _ = pause(for: failure.interruption, retryAfter: nil, lasting, now, chance)
            return .close(SocketCloseReason(failure))
        }
    }
}
