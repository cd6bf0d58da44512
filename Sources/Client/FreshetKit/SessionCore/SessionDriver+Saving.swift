// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension SessionDriver {
    enum SaveResult {
        case saved
        case unsaved
        /// The store holds another session or none, so the unsaved tokens are obsolete.
        case replaced(SessionRecord?)
    }

    /// Stores the session in memory, unless the store has a newer one.
    func saveIfCurrent(_ currentSession: inout CurrentSession) -> SaveResult {
        for _ in 0..<Self.maximumConflicts {
            guard case .success(let found) = readStore() else { return .unsaved }
            switch currentSession.comparison(with: found) {
            case .gone, .other: return .replaced(found)
            case .newer(let stored):
                makeDurable(found)
                currentSession.adopt(stored, at: clock.snapshot)
                return .saved
            case .same(let stored) where stored.refreshToken == currentSession.session.refreshToken:
                makeDurable(found)
                currentSession.session.intent = stored.intent
                currentSession.isSaved = true
                return .saved
            case .same(let stored) where stored.wasRequested(after: currentSession.session):
                // A backend that rotates without Freshet's protocol may accept the latest tokens only, and the responses
                // may arrive in another order.
                makeDurable(found)
                currentSession.adopt(stored, at: clock.snapshot)
                return .saved
            case .same, .older:
                guard let record = found else { return .unsaved }
                do throws(SessionStoreError) {
                    guard try store.replace(record, with: record.with(currentSession.session)) else { continue }
                } catch { return .unsaved }
                currentSession.isSaved = true
                return .saved
            }
        }
        return .unsaved
    }

    /// Makes a record durable that another process may have stored and not flushed, as it was killed.
    ///
    /// A power failure must not take back tokens and intents that were sent, or tokens that were confirmed.
    func makeDurable(_ record: SessionRecord?) {
        if let record { (store as? any SyncableStore)?.sync(record) }
    }

    /// Stores tokens that could not be stored before, and then confirms them.
    ///
    /// - Returns: Whether nothing is left to store.
    @discardableResult
    func save() -> Bool {
        guard var currentSession = machine.currentSession, !currentSession.isSaved else { return true }
        switch saveIfCurrent(&currentSession) {
        case .unsaved: return false
        case .replaced(let record):
            complete(enqueuingLogoutOfUnsaved { machine.adopt(record, at: clock.snapshot) })
            return true
        case .saved:
            machine.update { $0 = currentSession }
            publish()
            published.emit(.saved)
            confirm(currentSession.session)
            return true
        }
    }

    /// Retries the write of tokens or a sign-out until it succeeds, or until nothing is left to store.
    func keepSaving() {
        guard savingTask == nil else { return }
        let clock = clock
        let backoff = machine.backoff
        savingTask = Task { [weak self] in
            var failures = 1
            while true {
                let delay = backoff.delay(afterFailures: failures, retryAfter: nil, chance: clock.chance())
                let next = clock.now() + delay
                guard (try? await clock.sleep(until: next, for: .schedule("of another write to the store"))) != nil
                else { return }
                guard let self, await !self.saveOnceMore() else { return }
                failures += 1
            }
        }
    }

    private func saveOnceMore() -> Bool {
        recordPendingSignOut()
        let isDone = save() && machine.pendingSignOut == nil && unrecordedLogouts.isEmpty
        if isDone { savingTask = nil }
        return isDone
    }

    /// Confirms to the server that its newest token is stored.
    ///
    /// Best effort: the next refresh proves it as well.
    func confirm(_ session: StoredSession) {
        guard endpoint.contract.isConfirmed else { return }
        let tokens = TokenPair(refreshToken: session.refreshToken)
        confirmTask = Task { [endpoint] in _ = await endpoint.present(tokens, on: .confirm) }
    }
}
