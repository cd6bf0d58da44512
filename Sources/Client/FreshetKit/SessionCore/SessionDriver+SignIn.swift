// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

extension SessionDriver {
    /// Begins a sign-in, and checks that its session could be stored.
    func beginSignIn() throws(SessionError) -> Int {
        if case .failure(let fault) = readStore(), !fault.mayBeOverwritten { throw .storeUnavailable(fault) }
        return machine.beginSignIn()
    }

    /// Ends a sign-in, and delivers the logouts that waited for its result.
    func endSignIn(_ id: Int) {
        machine.endSignIn(id)
        if hasPendingLogout, !machine.signInMayReviveToken { deliverLogouts() }
    }

    /// Completes a sign-in with its tokens.
    ///
    /// The tokens are stored, or the session stays signed out.
    func finishSignIn(_ id: Int, _ grant: SessionGrant, askedAt: ClockSnapshot) throws(SessionError) {
        let granted = StoredSession(grant, askedAt: askedAt)
        let held = machine.currentSession
        guard machine.isCurrent(id) else {
            // A second tap on the same button may return the same session, which is in use.
            if let held, held.session.isSameSession(as: granted) { return }
            // The server's new session must be ended, because this device does not use it.
            enqueueLogout(of: granted)
            throw .signedOut(held == nil ? .requested : .replaced)
        }
        let before = machine.stored(granted, concurrentWith: id)
        var session = granted
        var isOld = false
        var overtaking: SessionRecord?
        // The session in memory, and one whose sign-out could not be stored, need a logout.
        let owed = machine.pendingSignOut.flatMap { $0.reason == .requested ? $0.session : nil }
        let unsavedSessions = [unsaved, machine.renewal.presentsUnsaved ? owed : nil].compactMap(\.self)
        do throws(SessionStoreError) {
            try change { record in
                // The session of a double tap is already stored. Later changes by another process are kept, because
                // that process may be sending them to the server.
                overtaking = before == nil || record.session?.isSameSession(as: granted) == true ? nil : record
                guard overtaking == nil else { return record == SessionRecord(origin: origin) ? nil : record }
                let known = [record.origin == origin ? record.session : nil, held?.session].compactMap(\.self)
                    .first { $0.isSameSession(as: granted) }
                session = known.map(granted.continuing) ?? granted
                // A repeated sign-in may return a session that has been refreshed in the meantime, or already has an
                // intent.
                isOld = record.session.map { $0.id == session.id && $0.generation >= session.generation } ?? false
                guard !isOld else { return record.signingInAgain(session) }
                // The new session is recorded first, because a record takes no pending logout of its current session:
                // the unsaved session may be a later generation of the session that is replaced.
                return unsavedSessions.reduce(record.signingIn(session, origin: origin, keeping: logoutCredentials)) {
                    $0.addingPendingLogout($1, at: origin, logoutCredentials)
                }
            }
        } catch {
            throw .storeUnavailable(error)
        }
        if let overtaking {
            // The session is the same, with the tokens of a refresh.
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

    /// Enqueues a logout for a sign-in that could not be stored: no process can use its session, so the server must end
    /// it.
    func enqueueLogoutOfUnstored(_ grant: SessionGrant, askedAt: ClockSnapshot) {
        enqueueLogout(of: StoredSession(grant, askedAt: askedAt))
    }

    /// Adopts a session of an older version of the app, unless a user has signed in since.
    ///
    /// It does not overtake a sign-in in progress.
    ///
    /// - Parameters:
    ///   - grant: The tokens.
    ///   - lacksRefreshToken: Whether they lack a refresh token that may be found later.
    ///   - askedAt: The time at which they were read.
    ///   - expiry: The expiry of the access token by its item.
    /// - Returns: Whether the session was adopted.
    /// - Throws: The store's error.
    func adoptImported(
        _ grant: SessionGrant,
        lacksRefreshToken: Bool,
        askedAt: ClockSnapshot,
        expiry: Date?
    ) throws(SessionStoreError) -> Bool {
        for _ in 0..<Self.maximumConflicts {
            let record = try readStore().get()
            // An earlier import has used the access token, but did not find the refresh token.
            let completesImport = record?.lacksImportedRefreshToken == true && grant.refreshToken != nil
            if let record, record.isImported, !completesImport {
                // Another process may have imported the tokens just now.
                readStoreIfSignedOut()
                return false
            }
            let isVacant = completesImport || record == nil || (record?.session == nil && record?.ended == nil)
            var new = record ?? SessionRecord(origin: origin)
            if isVacant {
                new = new.signingIn(StoredSession(grant, askedAt: askedAt), origin: origin, keeping: .none)
            }
            new = new.imported(lackingRefreshToken: isVacant && lacksRefreshToken)
            guard try store.replace(record, with: new) else { continue }
            if completesImport { reload() }
            machine.loaded(readStore(), at: clock.snapshot)
            publish()
            if isVacant {
                published.emit(.signedIn(.imported))
                publishToken(importedExpiry: expiry)
            }
            return isVacant
        }
        throw .tooManyConflicts
    }

    /// Stores that the user chose this account after all others.
    func makeDefault(after latest: Double?) throws(SessionError) {
        // The newest choice must have the latest time, even if the clock was set back.
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

    /// Changes the record atomically with respect to other processes.
    ///
    /// - Parameters:
    ///   - replacesDamaged: Whether a record that is damaged or belongs to another server is replaced, as in a sign-in
    ///     or sign-out by the user. A record that cannot be read now is never replaced.
    ///   - change: Returns the new record; may be called again. An empty one is not stored where there is none.
    /// - Throws: The store's error if the record could not be changed.
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
            let empty = SessionRecord(origin: origin)
            let new = change(record ?? empty)
            if try store.replace(record, with: record == nil && new == empty ? nil : new) { return }
        }
        throw .tooManyConflicts
    }
}
