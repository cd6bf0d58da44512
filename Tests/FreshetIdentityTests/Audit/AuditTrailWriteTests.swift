// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(1)))
struct `Writes of the audit trail` {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func ended(_ session: SessionID) -> ServerEvent {
        .ended([session], of: UUID(), .logout, at: Self.now, by: .holder)
    }

    /// A page that shows the events of its user writes them first: another write may have begun before.
    @Test func `a write of the audit trail returns once the events of a write in progress are stored`() async throws {
        try await DatabaseEngine.sqlite.make().opened { base in
            let database = DatabaseWithHeldWrite(base)
            let trail = AuditTrail(database: database, capacity: 100, log: CapturedLog().logger)
            let session = SessionID.random()
            trail.record(ended(session)) { Self.now }
            let first = Task { await trail.write() }
            await database.waitForWrite()

            let hasReturned = NIOLockedValueBox(false)
            let second = Task {
                await trail.write()
                hasReturned.withLockedValue { $0 = true }
                return try await database.read { try AuditTable.events(of: session, in: $0).map(\.kind) }
            }
            while trail.waitingWrites == 0, !hasReturned.withLockedValue({ $0 }) { await Task.yield() }
            #expect(!hasReturned.withLockedValue { $0 })
            database.releaseWrite()
            let stored = try await second.value
            #expect(stored == [.ended])
            await first.value
        }
    }
}
