// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import NIOConcurrencyHelpers
import ServerFixtures

/// A database that queues best-effort writes until a test runs or drops them.
final class DatabaseWithHeldWrites: ForwardingDatabase {
    private struct Held: Sendable {
        let body: @Sendable (any SQLConnection) throws -> Void
        let dropped: @Sendable () -> Void
    }

    let base: any ServerDatabase
    private let held = NIOLockedValueBox<[Held]>([])

    init(_ base: any ServerDatabase) { self.base = base }

    /// The number of queued best-effort writes.
    var heldWrites: Int { held.withLockedValue { $0.count } }

    /// Runs the queued writes, each in a transaction.
    func runHeldWrites() throws {
        for write in takeHeldWrites() { try base.writeNow { try write.body($0) } }
    }

    /// Drops the queued writes, as a full queue does.
    func dropHeldWrites() {
        for write in takeHeldWrites() { write.dropped() }
    }

    /// Runs the queued writes and rolls them back, as a full disk does.
    func failHeldWrites() {
        struct DiskIsFull: Error {}
        for write in takeHeldWrites() {
            do {
                try base.writeNow { connection in
                    try write.body(connection)
                    throw DiskIsFull()
                }
            } catch {
                write.dropped()
            }
        }
    }

    private func takeHeldWrites() -> [Held] {
        held.withLockedValue { held in
            defer { held = [] }
            return held
        }
    }

    func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    ) {
        held.withLockedValue { $0.append(Held(body: body, dropped: dropped)) }
    }
}
