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
    func recordUnrecordedLogouts() -> Bool {
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
}
