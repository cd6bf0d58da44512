// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension SessionDriver {
    /// Signs out, and starts the delivery to the server.
    ///
    /// - Returns: The error if the sign-out could not be stored, and the first delivery attempt of this sign-out;
    ///   earlier sign-outs are delivered concurrently.
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

    /// Signs out on this device immediately, regardless of operations in progress.
    ///
    /// - Parameters:
    ///   - owing: Whether the sign-out has to be delivered to the server.
    ///   - id: The session to sign out; another session that was signed in in the meantime is kept. `nil` for any
    ///     session.
    /// - Returns: The error if the store still has the session; it is removed from memory in any case.
    func signOut(notifyingServer owing: Bool, of id: String? = nil) -> SessionStoreError? {
        let held = machine.currentSession?.session
        if let id, held?.id != id {
            // A refresh may have found its end in the meantime, which is not stored yet.
            return machine.pendingSignOut?.session?.id == id ? recordPendingSignOut() : nil
        }
        if id != nil, case .success(let record) = readStore(), let stored = record?.session, stored.id != id {
            // Another process has signed in since: its session is kept.
            complete(machine.adopt(record, at: clock.snapshot))
            return nil
        }
        published.end()
        var fault: SessionStoreError?
        do throws(SessionStoreError) {
            try writeTombstone(held, .requested, keeping: owing ? logoutCredentials : .none) { stored in
                id.map { $0 == stored.id } ?? true
            }
            machine.pendingSignOut = nil
        } catch {
            machine.pendingSignOut = .init(session: held, reason: .requested, time: clock.snapshot)
            keepSaving()
            fault = error
        }
        let completion = machine.signOut()
        _ = readStore()
        complete(completion)
        return fault
    }

    /// Replaces the stored session with a pending sign-out, if the sign-out ends it.
    private func writeTombstone(
        _ held: StoredSession?,
        _ reason: SignOutReason,
        keeping credentials: LogoutCredentials,
        ifEnding ends: (StoredSession) -> Bool
    ) throws(SessionStoreError) {
        try change { record in
            // Another process may have signed in since the store was read last.
            if let stored = record.session, !ends(stored) { return record }
            var new = record
            new = new.ending(reason, keeping: credentials)
            // The session in memory may be newer than the stored one, or may have been deleted or replaced in the
            // store.
            let isStored = record.session.map { $0.id == held?.id } ?? false
            // A refresh token that stays the same may have a newer access token, by which some servers know the session.
            let isOther =
                record.session?.refreshToken != held?.refreshToken
                || record.session?.accessToken != held?.accessToken
            if let held, !isStored || machine.renewal.presentsUnsaved && isOther {
                new = new.addingPendingLogout(held, at: origin, credentials)
            }
            // A sign-out by the user needs no stored reason; the server's reason is stored.
            return new.nilIfNothingPending()
        }
    }

    /// Stores a sign-out, and logouts of unused sessions, that could not be stored before.
    ///
    /// - Returns: The error if the sign-out could not be stored now either.
    @discardableResult
    func recordPendingSignOut() -> SessionStoreError? {
        defer { if recordUnrecordedLogouts(), hasPendingLogout { deliverLogouts() } }
        guard let owed = machine.pendingSignOut else { return nil }
        let record: SessionRecord?
        switch readStore() {
        case .success(let found): record = found
        case .failure(let fault): return fault
        }
        let credentials = owed.reason == .requested ? logoutCredentials : .none
        do throws(SessionStoreError) {
            if let stored = record?.session, owed.ends(stored) {
                try writeTombstone(owed.session, owed.reason, keeping: credentials, ifEnding: owed.ends)
            } else if let session = owed.session, machine.renewal.presentsUnsaved, credentials != .none {
                // The session's newest tokens may never have been stored.
                try change(replacesDamaged: false) { $0.addingPendingLogout(session, at: origin, credentials) }
            }
        } catch { return error }
        // Before the deliveries, which leave out the session of a later sign-in.
        machine.pendingSignOut = nil
        _ = readStore()
        if credentials != .none, hasPendingLogout { deliverLogouts() }
        publish()
        published.emit(.saved)
        return nil
    }

    /// Stores the logouts that are kept in memory, except those whose session a sign-in in progress may return.
    ///
    /// - Returns: Whether any was stored.
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

    /// Runs `body`, which adopts the stored session, and enqueues a logout for tokens that could never be stored.
    func enqueuingLogoutOfUnsaved<Value>(_ body: () -> Value) -> Value {
        let unsaved = unsaved
        let value = body()
        if let unsaved, machine.currentSession?.session.id != unsaved.id { enqueueLogout(of: unsaved) }
        return value
    }

    /// The newest tokens, if they could not be stored and the server no longer accepts the stored ones.
    var unsaved: StoredSession? {
        guard machine.renewal.presentsUnsaved, let currentSession = machine.currentSession, !currentSession.isSaved
        else { return nil }
        return currentSession.session
    }

    /// Records a pending logout for a session that this device does not use.
    ///
    /// It is kept in memory while a sign-in is in progress that may return the same session, because other processes
    /// deliver stored logouts. It is also kept in memory while it cannot be stored.
    func enqueueLogout(of session: StoredSession) {
        guard let logout = PendingLogout(origin: origin, session: session, credentials: logoutCredentials) else {
            return
        }
        unrecordedLogouts.append(logout)
        recordUnrecordedLogouts()
        if !unrecordedLogouts.isEmpty { keepSaving() }
        publish()
        deliverLogouts()
    }

    /// Ends a session that cannot be renewed, because the server refused its token.
    func endUnrenewable() -> Result<AccessToken?, SessionError> {
        guard let held = machine.currentSession?.session else { return .failure(.signedOut(.unrenewable)) }
        do throws(SessionStoreError) {
            try change { $0.session?.id == held.id ? $0.ending(.unrenewable, keeping: .none) : $0 }
        } catch {
            machine.pendingSignOut = .init(session: held, reason: .unrenewable, time: clock.snapshot)
            keepSaving()
        }
        complete(machine.endUnrenewable())
        return .failure(.signedOut(.unrenewable))
    }
}
