// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionDriver {
    /// A sign-in begins; whatever it brings must find a place to rest.
    func beginSignIn() throws(SessionError) -> Int {
        if case .failure(let fault) = readStore(), !fault.mayBeOverwritten { throw .storeUnavailable(fault) }
        return machine.beginSignIn()
    }

    /// A sign-in brought tokens.
    ///
    /// They are stored, or nobody is signed in.
    func finishSignIn(_ id: Int, _ grant: SessionGrant, askedAt: Moment) throws(SessionError) {
        let session = StoredSession(grant, askedAt: askedAt)
        guard machine.isCurrent(id) else {
            // A sign-out or another sign-in won. The server's new session must not live on unseen.
            try? change { $0.owing(session, at: origin, logoutProof) }
            deliverLogouts()
            throw .signedOut(machine.holding == nil ? .requested : .replaced)
        }
        var isOld = false
        do throws(StoreUnavailable) {
            try change { record in
                // A repeated sign-in may bring a session that has moved on meanwhile, or has an intent by now.
                isOld = record.session.map { $0.id == session.id && $0.generation >= session.generation } ?? false
                return isOld ? record : record.signingIn(session, origin: origin, owing: logoutProof)
            }
        } catch {
            throw .storeUnavailable(error)
        }
        if isOld, case .success(let record) = readStore() {
            machine.owedSignOut = nil
            settle(machine.adopt(record, at: clock.moment))
            return
        }
        _ = readStore()
        settle(
            machine.signedIn(
                Holding(
                    session: session,
                    token: LiveToken(grant, askedAt: askedAt, cause: .signIn),
                    isSaved: true
                )
            )
        )
        published.tell(.signedIn(.signIn))
        if hasPendingLogout { deliverLogouts() }
    }

    /// Takes over a session that an older version of the app kept, if nobody signed in here since.
    ///
    /// A sign-in that is under way is not overtaken by it.
    func takeOver(_ grant: SessionGrant, askedAt: Moment) throws(StoreUnavailable) -> Bool {
        for _ in 0..<Self.mostCollisions {
            let record = try readStore().get()
            if let record, record.isImported { return false }
            let isVacant = record == nil || (record?.session == nil && record?.ended == nil)
            var new = record ?? SessionRecord(origin: origin)
            if isVacant {
                new = new.signingIn(StoredSession(grant, askedAt: askedAt), origin: origin, owing: .none)
            }
            guard try store.replace(record, with: new.imported()) else { continue }
            machine.loaded(readStore(), at: clock.moment)
            publish()
            if isVacant { published.tell(.signedIn(.imported)) }
            return isVacant
        }
        throw .collisions
    }

    /// Changes the record as one step, whatever other processes do, for somebody's explicit wish.
    ///
    /// What is damaged or another server's is replaced; what is only unreachable is not.
    func change(_ change: (SessionRecord) -> SessionRecord?) throws(StoreUnavailable) {
        for _ in 0..<Self.mostCollisions {
            let record: SessionRecord?
            do throws(StoreUnavailable) { record = try store.read() } catch {
                guard error.mayBeOverwritten else { throw error }
                try store.overwrite(with: change(SessionRecord(origin: origin)))
                return
            }
            let new = change(record ?? SessionRecord(origin: origin))
            if try store.replace(record, with: new) { return }
        }
        throw .collisions
    }
}
