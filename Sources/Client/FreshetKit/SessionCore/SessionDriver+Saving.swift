// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension SessionDriver {
    enum SaveResult {
        case saved
        case unsaved
        /// The store holds another session, or none: what was to be saved counts for nothing.
        case replaced(SessionRecord?)
    }

    /// Stores what is held, unless the store moved further.
    func saveIfCurrent(_ currentSession: inout CurrentSession) -> SaveResult {
        for _ in 0..<Self.maximumConflicts {
            guard case .success(let found) = readStore() else { return .unsaved }
            switch currentSession.comparison(with: found) {
            case .gone, .other: return .replaced(found)
            case .newer(let stored):
                // The access token just granted is as good as the sibling's.
                currentSession.session = stored
                currentSession.isSaved = true
                return .saved
            case .same(let stored) where stored.refreshToken == currentSession.session.refreshToken:
                currentSession.session.intent = stored.intent
                currentSession.isSaved = true
                return .saved
            case .same, .older:
                // A sibling that refreshed at the same time got other tokens from a backend that rotates without our
                // protocol; the answer that came last is the one most likely to be in force.
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

    /// Stores what could not be stored before, and only then confirms it.
    ///
    /// - Returns: Whether there is nothing left to do.
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

    /// Tries to store until it works, or until there is nothing to store any more.
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
        let isDone = save()
        if isDone { savingTask = nil }
        return isDone
    }

    /// Tells the server that its newest token is durable here.
    ///
    /// Best effort: the next refresh proves it as well.
    func confirm(_ session: StoredSession) {
        guard endpoint.contract.isConfirmed else { return }
        let tokens = TokenPair(refreshToken: session.refreshToken)
        confirmTask = Task { [endpoint] in _ = await endpoint.present(tokens, on: .confirm) }
    }
}
