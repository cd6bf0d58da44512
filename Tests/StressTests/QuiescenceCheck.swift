// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit
import FreshetOutbox

/// The conditions that must hold once no operation is in progress.
struct QuiescenceCheck {
    private let households: [StressScenario]
    private let backend: StressBackend
    private let journal: EventJournal
    /// How long everything may take to come to rest.
    private static let limit = Duration.seconds(20)

    init(_ households: [StressScenario], _ backend: StressBackend, _ journal: EventJournal) {
        (self.households, self.backend, self.journal) = (households, backend, journal)
    }

    func check() async {
        journal.note("the operations are over")
        backend.faults.withLock { $0 = 0 }
        for household in households {
            if let status = await household.worker?.end(), status != 0 {
                journal.violate("a worker ended with \(status)")
            }
            household.heal()
        }
        await expect("honoured, and neither stored nor owed a logout") { unknownTokens }
        for household in households { await checkItems(of: household) }
        // And in the end no session is left behind.
        for household in households {
            for session in household.sessions {
                do { try await session.signOut() } catch { journal.violate("a sign-out at rest failed: \(error)") }
            }
        }
        await expect("left behind after all have signed out") {
            for household in households { await household.deliverLogouts() }
            let ledger = backend.ledger
            return ledger.sessions.indices.filter { isLive($0, in: ledger) }.map { "s\($0)" }
        }
        let ledger = backend.ledger
        for index in ledger.sessions.indices where ledger.sessions[index].ended == nil && isLost(index, in: ledger) {
            journal.note("s\(index) was lost with a killed worker")
            journal.count("lost with a worker")
        }
    }

    private func isLive(_ index: Int, in ledger: BackendSessionModel) -> Bool {
        let session = ledger.sessions[index]
        return session.ended == nil && session.isDelivered && !isLost(index, in: ledger)
    }

    /// Whether a session's tokens died with a worker (``BackendSessionModel/isLost(_:withKilled:whichStored:)``).
    private func isLost(_ index: Int, in ledger: BackendSessionModel) -> Bool {
        households.contains { household in
            household.worker.map { ledger.isLost(index, withKilled: $0.killed, whichStored: $0.recorded) } ?? false
        }
    }

    private var unknownTokens: [String] {
        let ledger = backend.ledger
        let known = households.reduce(into: Set<String>()) { $0.formUnion($1.knownTokens) }
        let sessions = Set(known.filter(ledger.honours).compactMap(ledger.session))
        return ledger.sessions.indices.filter { isLive($0, in: ledger) && !sessions.contains($0) }
            .map { "s\($0) \(ledger.sessions[$0].account)" }
    }

    /// Answers that are under way come to an end by themselves; nobody announces the last one.
    private func expect(_ rule: String, _ find: () async -> [String]) async {
        let end = ContinuousClock.now + Self.limit
        while true {
            for household in households { await household.flush() }
            let found = await find()
            if found.isEmpty { return }
            guard ContinuousClock.now < end else { return journal.violate("\(rule): \(found)") }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Every item that was accepted has arrived or is still there.
    private func checkItems(of household: StressScenario) async {
        await household.outbox.flush()
        let counts = household.outbox.counts
        let rest = counts.waiting + counts.sending + counts.held + counts.dead + counts.others
        let missing = household.accepted.withLock { $0 }.subtracting(backend.deliveredItems)
        if missing.count > rest {
            journal.violate("\(missing.count) items of \(household.name) have not arrived, and \(rest) are left")
        }
    }
}
