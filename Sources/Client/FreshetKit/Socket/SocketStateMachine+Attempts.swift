// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketStateMachine {
    /// A token came.
    ///
    /// `nil` stands for none better than the one that was refused.
    mutating func tokenReceived(_ number: Number, _ token: SocketToken?, now: Duration, chance: Double) -> Action {
        guard case .fetching(number, let need) = state else { return .nothing }
        guard let token else {
            // A refresh would not help now; perhaps the server changes its mind about the token.
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

    /// There is no token.
    mutating func tokenFailed(_ number: Number, _ error: SessionError, now: Duration, chance: Double) -> Action {
        guard case .fetching(number, let need) = state else { return .nothing }
        switch error {
        case .signedOut(let reason): return go(to: .close(.signedOut(reason)), now: now)
        case .stepUpRequired: return go(to: .close(.stepUpRequired), now: now)
        case .offline(let delay):
            // The session keeps to what its server asked for by itself; a network that returns may shorten the rest.
            let before = retryAfterEnd
            let pause = pause(for: .session(error), retryAfter: delay, need, now, chance)
            retryAfterEnd = before
            return wait(pause)
        case .storeUnavailable, .recordUnusable, .refused, .contractFault, .unsupported, .cancelled:
            return wait(pause(for: .session(error), retryAfter: nil, need, now, chance))
        }
    }

    /// The connection is open.
    ///
    /// - Returns: Nothing to do if the attempt was overtaken: the connection is to be closed.
    mutating func connected(_ number: Number, now: Duration) -> Action {
        guard case .connecting(number, let token) = state else { return .nothing }
        connections += 1
        let link = Link(token: token, openedAt: now, connection: connections)
        state = .open(number, link)
        let renewalAt = rules.renewalTime(of: token, openedAt: now)
        return .serve(number, connection: connections, renewalAt: renewalAt)
    }

    /// The attempt failed, or the connection ended.
    mutating func ended(_ number: Number, _ failure: SocketFailure, now: Duration, chance: Double) -> Action {
        switch state {
        case .connecting(number, let token):
            return go(to: next(after: failure, token, isOver: false, now, chance), now: now)
        case .open(number, let link):
            if now - link.openedAt >= rules.stableAfter { forgetFailures() }
            // A server that closes a connection because its token has ended does what it should.
            let isOver = link.token.expiresWithin(rules.minimumTokenLifetime, now: now)
            let next = next(after: failure, link.token, isOver: isOver, now, chance)
            return disconnect(number, code: 1000, then: next)
        default: return .nothing
        }
    }

    /// The connection that was to be taken down is gone.
    mutating func disconnected(_ number: Number, now: Duration) -> Action {
        guard case .ending(number, let next) = state else { return .nothing }
        return go(to: next, now: now)
    }

    /// A pause is over.
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

    /// The token of the open connection nears its end.
    mutating func renewalDue(_ number: Number) -> Action {
        guard case .open(number, var link) = state, !link.isRenewing else { return .nothing }
        link.isRenewing = true
        state = .open(number, link)
        return .renew(number, .newer(than: link.token.token))
    }

    /// There is a new token for the open connection, or none: then the server will say what it thinks of the old one.
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

    // MARK: Deciding

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
            // Whether the session is over is for the refresh to say.
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
        case .forbidden, .stepUp, .refused, .misconfigured, .contractViolation, .superseded:
            // Somebody who asks again at once finds the back-off still there.
            _ = pause(for: failure.interruption, retryAfter: nil, lasting, now, chance)
            return .close(SocketCloseReason(failure))
        }
    }
}
