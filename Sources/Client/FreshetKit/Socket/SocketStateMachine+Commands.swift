// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SocketStateMachine {
    /// Opens the socket.
    mutating func start(owner: String?, now: Duration) -> Action {
        switch state {
        case .idle, .closed:
            serve(owner)
            return begin(.validFor(rules.minimumTokenLifetime), now: now)
        case .ending(let number, .close):
            serve(owner)
            state = .ending(number, .fetch(.validFor(rules.minimumTokenLifetime)))
            return .nothing
        case .fetching, .connecting, .open, .ending, .waiting: return .nothing
        }
    }

    private mutating func serve(_ owner: String?) {
        // The failures of the previous user do not delay this one's socket.
        if owner != self.owner { forgetFailures() }
        self.owner = owner
    }

    /// Closes the socket, until it is opened again.
    mutating func stop(_ end: SocketCloseReason) -> Action {
        switch state {
        case .closed: return .nothing
        case .idle:
            // The socket was not open, so its state changes only if the app closes it.
            if end == .requested { state = .closed(end) }
            return .nothing
        case .fetching(let number, _):
            state = .closed(end)
            return .cancelTokenFetch(number)
        case .waiting:
            state = .closed(end)
            return .nothing
        case .connecting(let number, _), .open(let number, _):
            return disconnect(number, code: 1000, then: .close(end))
        case .ending(let number, _):
            state = .ending(number, .close(end))
            return .nothing
        }
    }

    /// Suspends the socket while the app must not use the network.
    mutating func suspend() -> Action {
        isSuspended = true
        let lasting = SocketTokenRequirement.validFor(rules.minimumTokenLifetime)
        switch state {
        case .idle, .closed, .ending(_, .close): return .nothing
        case .fetching(let number, let need):
            state = .waiting(nextNumber(), .suspension(need))
            return .cancelTokenFetch(number)
        case .waiting(_, let pause):
            state = .waiting(nextNumber(), .suspension(pause.need))
            return .nothing
        case .connecting(let number, _), .open(let number, _):
            return disconnect(number, code: 1001, then: .wait(.suspension(lasting)))
        case .ending(let number, .wait(let pause)):
            state = .ending(number, .wait(.suspension(pause.need)))
            return .nothing
        case .ending(let number, .fetch(let need)):
            state = .ending(number, .wait(.suspension(need)))
            return .nothing
        }
    }

    /// Resumes the socket when the app may use the network again.
    mutating func resume(now: Duration) -> Action {
        isSuspended = false
        switch state {
        case .waiting(_, let pause) where pause.interruption == .suspended: return begin(pause.need, now: now)
        case .ending(let number, .wait(let pause)) where pause.interruption == .suspended:
            state = .ending(number, .fetch(pause.need))
            return .nothing
        default: return .nothing
        }
    }

    /// Handles a change of the network, as the system reports it.
    ///
    /// The report may be wrong, so attempts continue without a network, only less often.
    mutating func networkChanged(isUp: Bool, now: Duration, chance: Double) -> Action {
        isNetworkDown = !isUp
        guard isUp else { return .nothing }
        switch state {
        case .open(let number, _):
            // The connection may have used another network.
            return .probe(number)
        case .waiting(_, var pause):
            guard let until = pause.until else { return .nothing }
            backoffEnd = min(backoffEnd, now + rules.backoff.delay(afterFailures: 1, retryAfter: nil, chance: chance))
            pause.until = min(until, max(backoffEnd, retryAfterEnd))
            return wait(pause)
        default: return .nothing
        }
    }

    /// Handles a change of the session; `id` and `token` are its current ones.
    mutating func sessionChanged(_ session: SessionState, id: String?, token: TimedAccessToken?) -> Action {
        switch (state, session) {
        case (.idle, _), (.closed, _), (.ending(_, .close), _): return .nothing
        // The token request reports the sign-out itself, and may read a newer state from the store.
        case (.fetching, .signedOut): return .nothing
        case (_, .signedOut(let reason)): return stop(.signedOut(reason))
        case (_, .ending): return stop(.signedOut(.requested))
        default: break
        }
        guard let id else { return .nothing }
        if let owner, owner != id { return stop(.signedOut(.replaced)) }
        owner = id
        guard let token, case .open(let number, var link) = state, rules.renewal == .push else { return .nothing }
        let new = SocketToken(token, of: id)
        guard new.token.value != link.token.token.value else { return .nothing }
        link.token = new
        link.isRenewing = false
        state = .open(number, link)
        return .push(number, new, renewalAt: rules.renewalTime(of: new, openedAt: link.openedAt))
    }
}

extension SocketStateMachine.Pause {
    /// A pause until the app may use the network again.
    fileprivate static func suspension(_ need: SocketTokenRequirement) -> Self {
        Self(until: nil, interruption: .suspended, need: need)
    }
}
