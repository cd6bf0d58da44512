// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

extension SessionDriver {
    /// A sign-in begins; whatever it brings must find a place to rest.
    func beginSignIn() throws(SessionError) -> Int {
        if case .failure(let fault) = readStore(), !fault.mayBeOverwritten { throw .storeUnavailable(fault) }
        return machine.beginSignIn()
    }

    /// A sign-in is over; logouts that waited for what it would bring are delivered.
    func endSignIn(_ id: Int) {
        machine.endSignIn(id)
        if hasPendingLogout, !machine.signInMayReviveToken { deliverLogouts() }
    }

    /// A sign-in brought tokens.
    ///
    /// The tokens are stored, or the session stays signed out.
    func finishSignIn(_ id: Int, _ grant: SessionGrant, askedAt: ClockSnapshot) throws(SessionError) {
        let granted = StoredSession(grant, askedAt: askedAt)
        let held = machine.currentSession
        guard machine.isCurrent(id) else {
            // A second tap on one button may reach the same session; it is in use.
            if let held, held.session.isSameSession(as: granted) { return }
            // The server's new session must not live on unseen.
            enqueueLogout(of: granted)
            throw .signedOut(held == nil ? .requested : .replaced)
        }
        let before = machine.stored(granted, concurrentWith: id)
        var session = granted
        var isOld = false
        var overtaking: SessionRecord?
        // The session in memory, and one whose sign-out could not be stored.
        let owed = machine.pendingSignOut.flatMap { $0.reason == .requested ? $0.session : nil }
        let unsavedSessions = [unsaved, machine.renewal.presentsUnsaved ? owed : nil].compactMap(\.self)
        do throws(SessionStoreError) {
            try change { record in
                // The session of a double tap is stored already. Changes that another process made to it since are kept,
                // because it may be sending them to the server at this moment.
                overtaking = before == nil || record.session?.isSameSession(as: granted) == true ? nil : record
                guard overtaking == nil else { return record == SessionRecord(origin: origin) ? nil : record }
                let known = [record.origin == origin ? record.session : nil, held?.session].compactMap(\.self)
                    .first { $0.isSameSession(as: granted) }
                session = known.map(granted.continuing) ?? granted
                // A repeated sign-in may bring a session that has moved on meanwhile, or has an intent by now.
                isOld = record.session.map { $0.id == session.id && $0.generation >= session.generation } ?? false
                guard !isOld else { return record }
                // In this order: what is owed has the id of the session that it was, which is in use until then.
                return unsavedSessions.reduce(record.signingIn(session, origin: origin, keeping: logoutCredentials)) {
                    $0.addingPendingLogout($1, at: origin, logoutCredentials)
                }
            }
        } catch {
            throw .storeUnavailable(error)
        }
        if let overtaking {
            // The same session, with the tokens that a refresh has brought.
            if overtaking.session?.id == before?.id { return }
            complete(machine.adopt(overtaking, at: clock.snapshot))
            throw .signedOut(overtaking.session == nil ? .requested : .replaced)
        }
        unrecordedLogouts.removeAll { $0.wouldEnd(session) }
        var currentSession = CurrentSession(
            session: session,
            token: TimedAccessToken(grant, of: session.id, askedAt: askedAt, cause: .signIn),
            isSaved: true
        )
        if case .success(let record) = readStore(), isOld, let stored = record?.session {
            currentSession = CurrentSession(
                session: stored,
                token: TimedAccessToken(stored, at: clock.snapshot),
                isSaved: true
            )
        }
        complete(machine.signedIn(id, currentSession))
        published.emit(.signedIn(.signIn))
        publishToken()
        if hasPendingLogout { deliverLogouts() }
    }

    /// The store did not take what a sign-in brought: nobody can use that session, so it must not live on.
    func enqueueLogoutOfUnstored(_ grant: SessionGrant, askedAt: ClockSnapshot) {
        enqueueLogout(of: StoredSession(grant, askedAt: askedAt))
    }

    /// Takes over a session that an older version of the app kept, if nobody signed in here since.
    ///
    /// A sign-in that is under way is not overtaken by it.
    func adoptImported(_ grant: SessionGrant, askedAt: ClockSnapshot) throws(SessionStoreError) -> Bool {
        for _ in 0..<Self.maximumConflicts {
            let record = try readStore().get()
            if let record, record.isImported {
                // Another process may have taken the tokens over just now.
                readStoreIfSignedOut()
                return false
            }
            let isVacant = record == nil || (record?.session == nil && record?.ended == nil)
            var new = record ?? SessionRecord(origin: origin)
            if isVacant {
                new = new.signingIn(StoredSession(grant, askedAt: askedAt), origin: origin, keeping: .none)
            }
            guard try store.replace(record, with: new.imported()) else { continue }
            machine.loaded(readStore(), at: clock.snapshot)
            publish()
            if isVacant {
                published.emit(.signedIn(.imported))
                publishToken()
            }
            return isVacant
        }
        throw .tooManyConflicts
    }

    /// Puts down that the user chose this account after all others.
    func makeDefault(after latest: Double?) throws(SessionError) {
        // A clock that was set back must not make the newest choice the older one.
        let now = max(clock.wall().timeIntervalSince1970, (latest ?? 0) + 0.001)
        var isThere = false
        do throws(SessionStoreError) {
            try change { record in
                isThere = record.session != nil
                return isThere ? record.chosen(at: now) : record
            }
        } catch { throw .storeUnavailable(error) }
        guard isThere else { throw .signedOut(nil) }
    }

    /// Changes the record as one step, whatever other processes do.
    ///
    /// - Parameters:
    ///   - replacesDamaged: Whether a record that is damaged or another server's is replaced, as a sign-in or sign-out by
    ///     the user does. One that is only unreachable never is.
    ///   - change: Returns the new record; may be called again.
    /// - Throws: Why the record could not be changed.
    func change(
        replacesDamaged: Bool = true,
        _ change: (SessionRecord) -> SessionRecord?
    ) throws(SessionStoreError) {
        for _ in 0..<Self.maximumConflicts {
            let record: SessionRecord?
            do throws(SessionStoreError) { record = try store.read() } catch {
                guard replacesDamaged, error.mayBeOverwritten else { throw error }
                try store.overwrite(with: change(SessionRecord(origin: origin)))
                return
            }
            let new = change(record ?? SessionRecord(origin: origin))
            if try store.replace(record, with: new) { return }
        }
        throw .tooManyConflicts
    }
}
