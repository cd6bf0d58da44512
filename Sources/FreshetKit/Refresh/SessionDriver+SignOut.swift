// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension SessionDriver {
    /// Signs out, and begins to tell the server.
    ///
    /// - Returns: Why the sign-out could not be put on record, and the first try to tell the server.
    func signOutAndTell() -> (StoreUnavailable?, Task<Bool, Never>) {
        let held = machine.holding?.session
        guard let fault = signOut(owing: true) else { return (nil, deliverLogouts()) }
        // What cannot be put on record is told once, now; it is all that can be done.
        let task = Task { [endpoint] in
            guard let held else { return false }
            let tokens = PresentedTokens(refreshToken: held.refreshToken, accessToken: held.accessToken)
            return await endpoint.present(tokens, on: .logout) == .delivered
        }
        return (fault, task)
    }

    /// Signs out on this device, at once and whatever is under way.
    ///
    /// - Parameter owing: Whether the server has yet to hear of it.
    /// - Returns: Why the store still has the session, if it does; it is forgotten in memory all the same.
    func signOut(owing: Bool) -> StoreUnavailable? {
        published.end()
        let held = machine.holding?.session
        var fault: StoreUnavailable?
        do throws(StoreUnavailable) {
            try writeTombstone(held, .requested, owing: owing ? logoutProof : .none)
            machine.owedSignOut = nil
        } catch {
            machine.owedSignOut = .init(sessionID: held?.id, reason: .requested)
            fault = error
        }
        let settlement = machine.signOut()
        _ = readStore()
        settle(settlement)
        return fault
    }

    /// Puts down that the server has yet to hear of a sign-out, in the place of the session.
    private func writeTombstone(
        _ held: StoredSession?,
        _ reason: SignOutReason,
        owing proof: LogoutProof
    ) throws(StoreUnavailable) {
        try change { record in
            var new = record
            // What is held may be gone from the store, or have been replaced there by another account.
            if let held, record.session?.id != held.id { new = new.owing(held, at: origin, proof) }
            new = new.ending(reason, owing: proof)
            // That the user wanted it is no news to keep; why the server ended a session is.
            return new.forgettingWish()
        }
    }

    /// Records a sign-out that could not be recorded when it was asked for.
    func payOwedSignOut() {
        guard let owed = machine.owedSignOut, case .success(let record) = readStore() else { return }
        if let stored = record?.session {
            let isMeant = owed.sessionID == nil || owed.sessionID == stored.id
            let proof = owed.reason == .requested ? logoutProof : .none
            guard !isMeant || (try? writeTombstone(nil, owed.reason, owing: proof)) != nil else { return }
            if isMeant, proof != .none { deliverLogouts() }
        }
        machine.owedSignOut = nil
    }

    // MARK: Telling the server

    /// Tells the server of sign-outs it has yet to hear of, and keeps at it.
    ///
    /// - Returns: The first try, which ends within the deadline of a request for each sign-out.
    @discardableResult
    func deliverLogouts() -> Task<Bool, Never> {
        if let logoutPass { return logoutPass }
        let pass = Task {
            let isDone = await deliverOnce()
            logoutPass = nil
            publish()
            if !isDone { keepDelivering() }
            return isDone
        }
        logoutPass = pass
        return pass
    }

    private func keepDelivering() {
        guard logoutTask == nil else { return }
        let clock = clock
        let backoff = machine.backoff
        logoutTask = Task { [weak self] in
            var failures = 1
            while true {
                let delay = backoff.delay(afterFailures: failures, retryAfter: nil, chance: clock.chance())
                guard (try? await clock.sleep(until: clock.now() + delay)) != nil else { return }
                guard let self, await !self.deliverOnceMore() else { return }
                failures += 1
            }
        }
    }

    private func deliverOnceMore() async -> Bool {
        let isDone = await deliverOnce()
        if isDone { logoutTask = nil }
        publish()
        return isDone
    }

    /// - Returns: Whether nothing is left to tell.
    private func deliverOnce() async -> Bool {
        guard case .success(let record) = readStore() else { return false }
        var isDone = true
        for logout in record?.pendingLogouts ?? [] where logout.origin == origin {
            let outcome = await endpoint.present(logout.presented, on: .logout)
            let isTold = isFinal(outcome) && forget(logout)
            published.tell(.signOutTold(isTold))
            isDone = isTold && isDone
        }
        _ = readStore()
        return isDone
    }

    /// Whether telling the server again would change nothing.
    private func isFinal(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .delivered, .sessionEnded: true
        // Other backends refuse a token that is over in ways that say no more; ours always answers.
        case .accessExpired, .refused, .forbidden, .misconfigured, .stepUp: !endpoint.contract.isConfirmed
        case .superseded, .throttled, .transient, .contractViolation: false
        }
    }

    /// The server refused the token of a session that nothing can renew.
    func endUnrenewable() -> Result<AccessToken?, SessionError> {
        guard let held = machine.holding?.session else { return .failure(.signedOut(.unrenewable)) }
        do throws(StoreUnavailable) {
            try change { $0.session?.id == held.id ? $0.ending(.unrenewable, owing: .none) : $0 }
        } catch {
            machine.owedSignOut = .init(sessionID: held.id, reason: .unrenewable)
        }
        settle(machine.endUnrenewable())
        return .failure(.signedOut(.unrenewable))
    }

    private func forget(_ logout: PendingLogout) -> Bool {
        do throws(StoreUnavailable) {
            try change { $0.delivered(logout) }
            return true
        } catch { return false }
    }
}
