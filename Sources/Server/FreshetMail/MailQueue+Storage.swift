// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetMetrics
import FreshetWire
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

extension MailQueue {
    /// Takes over stored mails at startup, and later those of servers that stop.
    func run() async throws {
        guard let store else { return try await gracefulShutdown() }
        var mayHaveOrphans = true
        while true {
            do {
                try await cancelWhenGracefulShutdown { [self, mayHaveOrphans] in
                    try await maintain(store, takesOrphans: mayHaveOrphans)
                }
                // Without a shared database, the owner of a mail does not change while the server runs.
                mayHaveOrphans = store.isShared || !state.withLockedValue { $0.schedule.canRestore }
            } catch is CancellationError {
                return
            } catch {
                log.warning("stored mails cannot be read", error: error)
            }
            do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: MailStore.interval) } } catch {
                return
            }
        }
    }

    /// Records a heartbeat, takes over mails of stopped servers, and retries failed deletions.
    func maintain(_ store: MailStore, takesOrphans: Bool) async throws {
        let start = uptime()
        // A mail that comes in the meantime may be stored after its rows were read.
        let earlier = state.withLockedValue { Set($0.mails.keys) }
        let (others, remaining) = try await store.recordHeartbeat()
        let dead = state.withLockedValue { state in
            state.leaseRenewedAt = start
            let dead = state.heartbeats.observe(others)
            guard let remaining else { return dead }
            // Another server considered this one stopped, and took over its mails.
            state.forgetTaken(of: earlier, remaining: remaining)
            return dead
        }
        if takesOrphans { try await takeOrphans(store, of: dead) }
        deleteLeftovers(store)
        wake()
    }

    private func takeOrphans(_ store: MailStore, of dead: [[UInt8]]) async throws {
        while state.withLockedValue({ $0.schedule.canRestore }) {
            let rows = try await store.takeOrphans(of: dead, limit: Self.batch, now: clock())
            restore(rows, store)
            if rows.count < Self.batch { return }
        }
    }

    /// The number of rows that one transaction takes over.
    private static let batch = 100

    private func restore(_ rows: [MailTable.Row], _ store: MailStore) {
        let (now, wall) = (uptime(), clock())
        var unreadable: [Bits128] = []
        for row in rows {
            guard let mail = store.seal.open(row) else {
                unreadable.append(row.id)
                continue
            }
            // No mail is of use for longer than a notice, whatever the clock says.
            let lifetime = min(row.expiresAt - wall, MailMessage.noticeLifetime)
            remove { state in
                guard !state.schedule.contains(row.id) else { return RemovedMails() }
                state.mails[row.id] = mail
                let superseded = state.schedule.restore(mail.entry(row.id, expiresAt: now + lifetime), now: now)
                return RemovedMails(dropped: superseded.map { ($0, .superseded) })
            }
        }
        if !rows.isEmpty { log.notice("stored mails are delivered", metadata: ["count": "\(rows.count)"]) }
        guard !unreadable.isEmpty else { return }
        for _ in unreadable {
            metrics?.count("freshet_mail_dropped_total", [("cause", MailDropCause.unreadable.rawValue)])
        }
        log.error("stored mails dropped: no key opens them", metadata: ["count": "\(unreadable.count)"])
        delete(unreadable, store)
    }

    private func deleteLeftovers(_ store: MailStore) {
        let leftovers = state.withLockedValue { state in
            defer { state.undeleted = [] }
            return state.undeleted
        }
        if !leftovers.isEmpty { delete(leftovers, store) }
    }

    func delete(_ ids: [Bits128], _ store: MailStore) {
        store.deleteLater(ids) { [state] in state.withLockedValue { $0.undeleted += ids } }
    }
}

extension MailQueue.State {
    /// Removes mails that another server has taken over.
    ///
    /// - Parameters:
    ///   - earlier: The mails that the queue had before their rows were read.
    ///   - remaining: The rows that this server still has.
    mutating func forgetTaken(of earlier: Set<Bits128>, remaining: Set<Bits128>) {
        let taken = schedule.retainOnly { [mails] id in
            remaining.contains(id) || !earlier.contains(id) || mails[id]?.isStored != true
        }
        for id in taken { mails[id] = nil }
    }
}
