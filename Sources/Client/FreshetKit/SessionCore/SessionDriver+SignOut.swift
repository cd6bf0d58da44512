// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension SessionDriver {
    /// Signs out, and begins to tell the server.
    ///
    /// - Returns: Why the sign-out could not be put on record, and the first try to tell the server of this sign-out;
    ///   earlier ones are told beside it.
    func signOutAndNotifyServer() -> (SessionStoreError?, Task<Bool, Never>) {
        let held = machine.currentSession?.session
        let earlier = Set(pendingLogouts)
        guard let fault = signOut(notifyingServer: true) else {
            let own = pendingLogouts.filter { !earlier.contains($0) }.map(deliver)
            deliverLogouts()
            return (nil, Task { await Self.allSucceed(own) })
        }
        // A sign-out that cannot be stored is sent once, now: a retry would need the record.
        let task = Task { [endpoint] in
            guard let held else { return false }
            let tokens = TokenPair(refreshToken: held.refreshToken, accessToken: held.accessToken)
            return await endpoint.present(tokens, on: .logout) == .delivered
        }
        return (fault, task)
    }

    /// Signs out on this device, at once and whatever is under way.
    ///
    /// - Parameters:
    ///   - owing: Whether the server has yet to hear of it.
    ///   - id: The session that is meant; another one that was signed in meanwhile stays. Any if left out.
    /// - Returns: Why the store still has the session, if it does; it is forgotten in memory all the same.
    func signOut(notifyingServer owing: Bool, of id: String? = nil) -> SessionStoreError? {
        let held = machine.currentSession?.session
        if let id, held?.id != id { return nil }
        if id != nil, case .success(let record) = readStore(), let stored = record?.session, stored.id != id {
            // Another process has signed in since: its session is not the one that is meant.
            complete(machine.adopt(record, at: clock.snapshot))
            return nil
        }
        published.end()
        var fault: SessionStoreError?
        do throws(SessionStoreError) {
            try writeTombstone(held, .requested, keeping: owing ? logoutCredentials : .none, of: id)
            machine.pendingSignOut = nil
        } catch {
            machine.pendingSignOut = .init(session: held, reason: .requested)
            fault = error
        }
        let completion = machine.signOut()
        _ = readStore()
        complete(completion)
        return fault
    }

    /// Puts down that the server has yet to hear of a sign-out, in the place of the session.
    private func writeTombstone(
        _ held: StoredSession?,
        _ reason: SignOutReason,
        keeping credentials: LogoutCredentials,
        of id: String? = nil
    ) throws(SessionStoreError) {
        try change { record in
            if let id, let stored = record.session, stored.id != id { return record }
            var new = record
            new = new.ending(reason, keeping: credentials)
            // The session in memory may have been removed from the store or replaced there by another account, or be
            // newer than the stored one.
            let isStored = record.session.map { $0.id == held?.id } ?? false
            let isNewer = machine.renewal.presentsUnsaved && record.session?.refreshToken != held?.refreshToken
            if let held, !isStored || isNewer {
                new = new.addingPendingLogout(held, at: origin, credentials)
            }
            // The user's own request needs no stored reason; the server's reason is stored.
            return new.nilIfNothingPending()
        }
    }

    /// Records what could not be recorded before: a sign-out, and logouts of sessions that are not used here.
    func recordPendingSignOut() {
        defer { if recordUnrecordedLogouts(), hasPendingLogout { deliverLogouts() } }
        guard let owed = machine.pendingSignOut, case .success(let record) = readStore() else { return }
        let credentials = owed.reason == .requested ? logoutCredentials : .none
        let isMeant = record?.session.map { stored in owed.session.map { $0.id == stored.id } ?? true } ?? false
        do throws(SessionStoreError) {
            if isMeant {
                try writeTombstone(owed.session, owed.reason, keeping: credentials)
            } else if let session = owed.session, machine.renewal.presentsUnsaved, credentials != .none {
                // Its newest tokens may never have been stored.
                try change(replacesDamaged: false) { $0.addingPendingLogout(session, at: origin, credentials) }
            }
        } catch { return }
        _ = readStore()
        if credentials != .none, hasPendingLogout { deliverLogouts() }
        machine.pendingSignOut = nil
    }

    /// Records the logouts that are kept in memory, unless a sign-in under way may bring their sessions into use.
    ///
    /// - Returns: Whether the store took any.
    @discardableResult
    private func recordUnrecordedLogouts() -> Bool {
        guard !unrecordedLogouts.isEmpty, !machine.signInMayReviveToken else { return false }
        do throws(SessionStoreError) {
            try change(replacesDamaged: false) { record in
                unrecordedLogouts.reduce(record) { $0.addingPendingLogout($1) }
            }
        } catch { return false }
        unrecordedLogouts = []
        _ = readStore()
        return true
    }

    /// Lets the session go over to what the store holds; tokens that could never be stored are owed a logout then.
    func enqueuingLogoutOfUnsaved<Value>(_ body: () -> Value) -> Value {
        let unsaved = unsaved
        let value = body()
        if let unsaved, machine.currentSession?.session.id != unsaved.id { enqueueLogout(of: unsaved) }
        return value
    }

    // MARK: Telling the server

    /// The newest tokens, if they could not be stored and the server no longer honours those that are.
    var unsaved: StoredSession? {
        guard machine.renewal.presentsUnsaved, let currentSession = machine.currentSession, !currentSession.isSaved
        else { return nil }
        return currentSession.session
    }

    /// Records a pending logout for a session that this device does not use.
    ///
    /// It is kept in memory while a sign-in is under way that may bring the same session into use, because other processes
    /// deliver what is in the store; and while the store does not take it, because this process may end before it does.
    func enqueueLogout(of session: StoredSession) {
        guard let logout = PendingLogout(origin: origin, session: session, credentials: logoutCredentials) else {
            return
        }
        unrecordedLogouts.append(logout)
        recordUnrecordedLogouts()
        publish()
        deliverLogouts()
    }

    /// The sign-outs of this server's sessions that it has yet to hear of; of those in the store none if it gives no answer.
    private var pendingLogouts: [PendingLogout] {
        let record = try? readStore().get()
        // A session with a pending sign-out is stored but not in use.
        let stored = machine.pendingSignOut == nil ? record?.session : nil
        let inUse = [stored, machine.currentSession?.session].compactMap(\.self)
        let unrecorded = unrecordedLogouts.filter { logout in !inUse.contains { logout.wouldEnd($0) } }
        return (record?.pendingLogouts ?? []).filter { $0.origin == origin } + unrecorded
    }

    /// Tells the server of sign-outs it has yet to hear of, and keeps at it.
    ///
    /// - Returns: The first try, which ends within the deadline of a request for each four sign-outs.
    @discardableResult
    func deliverLogouts() -> Task<Bool, Never> {
        Task {
            let isDone = await deliverOnce()
            if !isDone { keepDelivering() }
            return isDone
        }
    }

    private func keepDelivering() {
        guard logoutTask == nil else { return }
        let clock = clock
        let backoff = machine.backoff
        logoutTask = Task { [weak self] in
            var failures = 1
            while true {
                let delay = backoff.delay(afterFailures: failures, retryAfter: nil, chance: clock.chance())
                let next = clock.now() + delay
                guard (try? await clock.sleep(until: next, for: .schedule("of another logout request"))) != nil else {
                    return
                }
                guard let self, await !self.deliverOnceMore() else { return }
                failures += 1
            }
        }
    }

    private func deliverOnceMore() async -> Bool {
        let isDone = await deliverOnce()
        if isDone { logoutTask = nil }
        return isDone
    }

    /// Tries each pending sign-out once, four at a time, those that were added meanwhile as well.
    ///
    /// - Returns: Whether nothing is left to tell.
    private func deliverOnce() async -> Bool {
        recordUnrecordedLogouts()
        var isDone = true
        var tried: Set<PendingLogout> = []
        while true {
            let next = pendingLogouts.filter { !tried.contains($0) }.prefix(4)
            guard !next.isEmpty else {
                // An unavailable store may hold further pending sign-outs.
                guard case .success = readStore() else { return false }
                return isDone
            }
            tried.formUnion(next)
            isDone = await Self.allSucceed(next.map(deliver)) && isDone
        }
    }

    private static func allSucceed(_ deliveries: [Task<Bool, Never>]) async -> Bool {
        var isDone = true
        for delivery in deliveries { isDone = await delivery.value && isDone }
        return isDone
    }

    /// Tells the server of one sign-out, once however many ask.
    private func deliver(_ logout: PendingLogout) -> Task<Bool, Never> {
        if let delivery = deliveries[logout] { return delivery }
        let delivery = Task {
            defer { deliveries[logout] = nil }
            // A sign-in may have brought this very token back into use since.
            guard pendingLogouts.contains(logout) else { return true }
            // One that is under way may still do so; its end starts the delivery again.
            guard !machine.signInMayReviveToken else { return false }
            let outcome = await endpoint.present(logout.presented, on: .logout)
            let isTold = isFinal(outcome) && forget(logout)
            published.emit(.logoutDelivered(isTold))
            _ = readStore()
            publish()
            return isTold
        }
        deliveries[logout] = delivery
        return delivery
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
        guard let held = machine.currentSession?.session else { return .failure(.signedOut(.unrenewable)) }
        do throws(SessionStoreError) {
            try change { $0.session?.id == held.id ? $0.ending(.unrenewable, keeping: .none) : $0 }
        } catch {
            machine.pendingSignOut = .init(session: held, reason: .unrenewable)
        }
        complete(machine.endUnrenewable())
        return .failure(.signedOut(.unrenewable))
    }

    private func forget(_ logout: PendingLogout) -> Bool {
        if let index = unrecordedLogouts.firstIndex(of: logout) {
            unrecordedLogouts.remove(at: index)
            return true
        }
        do throws(SessionStoreError) {
            try change(replacesDamaged: false) { $0.delivered(logout) }
            return true
        } catch { return false }
    }
}
