// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics

@Suite(.timeLimit(.minutes(5)))
struct `The clean-up` {
    private let place: DatabaseUnderTest
    private let time = ManualClock()
    private let log = CapturedLog()

    init() throws { place = try DatabaseEngine.sqlite.make() }

    private func database() throws -> SQLiteDatabase {
        try SQLiteDatabase(in: place.folder)
    }

    private func clock(_ database: SQLiteDatabase, _ metrics: ServerMetrics = ServerMetrics()) throws -> ServerClock {
        let clock = ServerClock(time.source, metrics: metrics, log: log.logger)
        try clock.compare(with: database)
        return clock
    }

    private func cleanup(
        _ database: SQLiteDatabase,
        _ clock: ServerClock? = nil,
        _ configuration: RetentionConfiguration = RetentionConfiguration()
    ) throws -> CleanupService {
        CleanupService(
            database: database,
            configuration: configuration,
            maximumTokenLifetime: .seconds(660),
            log: log.logger,
            clock: try clock ?? self.clock(database)
        )
    }

    /// Sessions that begin now: one that lives, one that was ended, one that runs out.
    private func fill(_ database: SQLiteDatabase) async throws {
        let now = time.now()
        try await database.durably { database in
            for kind in 0..<3 {
                var lifetimes = Lifetimes()
                if kind == 0 {
                    lifetimes.idle = .seconds(1000 * 86_400)
                    lifetimes.absolute = lifetimes.idle
                }
                var row = SessionRow.start(
                    user: UUID(),
                    mode: .intent,
                    device: Device(),
                    lifetimes: lifetimes,
                    keyID: 1,
                    now: now
                )
                if kind == 1 { row.ending = SessionRow.Ending(at: now, reason: .logout) }
                row.run = RefreshStreak(since: now, at: now, generation: 0, source: SourceAddress("192.0.2.1"))
                try SessionTable.insert(row, in: database)
            }
            for kind in [AuditEvent.Kind.refresh, .login] {
                try AuditTable.insert(AuditEvent(at: now, kind: kind), in: database)
            }
        }
    }

    private func rows(_ table: String, _ database: SQLiteDatabase) throws -> Int {
        Int(try database.readNow { try $0.number("SELECT count(*) FROM \(table)") } ?? -1)
    }

    @Test func `the clean-up deletes sessions, refresh sources and events after each retention, and no live session`()
        async throws
    {
        let database = try database()
        try await fill(database)
        let cleanup = try cleanup(database)
        var left: [[Int]] = []
        for days in [0, 8, 85, 30] {
            // A day at a time: more would be a jump only by one of the two clocks.
            time.advance(by: .seconds(days * 86_400))
            try await cleanup.clean()
            left.append(
                try ["sessions", "sessions WHERE run_source IS NOT NULL", "events"].map { try rows($0, database) }
            )
        }
        #expect(left == [[3, 3, 2], [3, 0, 1], [2, 0, 0], [1, 0, 0]])
        let deleted = cleanup.status.deleted.filter { $0.value > 0 }
        #expect(deleted == ["sessions": 2, "events": 2])
        #expect(cleanup.status.sessions == ["live": 1, "ended": 0, "expired": 1])
        try database.close()
    }

    @Test func `an ended session is kept until its access tokens have expired, regardless of its retention`()
        async throws
    {
        let database = try database()
        try await fill(database)
        var configuration = RetentionConfiguration()
        configuration.endedSessions = .zero
        let cleanup = try cleanup(database, nil, configuration)
        var left: [Int] = []
        // Eleven minutes, and ten by which two clocks may differ.
        for seconds in [0, 21 * 60, 1] {
            time.advance(by: .seconds(seconds))
            try await cleanup.clean()
            left.append(try rows("sessions WHERE ended_at IS NOT NULL", database))
        }
        #expect(left == [1, 1, 0])
        try database.close()
    }

    @Test func `the clean-up deletes no rows while the clock has jumped, and the jump and its end are logged`()
        async throws
    {
        let database = try database()
        try await fill(database)
        let metrics = ServerMetrics()
        let clock = try clock(database, metrics)
        let cleanup = try cleanup(database, clock)
        try await cleanup.clean()
        time.jump(by: .seconds(400 * 86_400))
        try await cleanup.clean()
        #expect(try rows("sessions", database) == 3)
        #expect(try rows("events", database) == 2)
        #expect(log.messages.contains { $0.hasPrefix("the wall clock is not trusted") })
        #expect(metrics.text.contains("freshet_clock_jumps_total 1\n"))
        #expect(!clock.isTrusted)
        time.jump(by: .seconds(-400 * 86_400))
        try await cleanup.clean()
        #expect(clock.isTrusted)
        #expect(log.messages.contains { $0.hasPrefix("the wall clock is trusted again") })
        try database.close()
    }

    @Test func `the clean-up after a restart with a clock far ahead deletes no sessions until the clock is trusted`()
        async throws
    {
        let database = try database()
        try await fill(database)
        try await clock(database).synchronize(with: database, stores: true)
        time.advance(by: .seconds(400 * 86_400))
        let next = try cleanup(database)
        try await next.clean()
        #expect(try rows("sessions", database) == 3)
        for _ in 1...2 {
            time.advance(by: .seconds(3700))
            try await next.clean()
        }
        #expect(try rows("sessions", database) == 1)
        try database.close()
    }

    @Test func `one write deletes at most a batch of audit events, and the clean-up deletes all batches`() async throws
    {
        let database = try database()
        let now = time.now()
        try await database.durably { database in
            for _ in 0..<1200 { try AuditTable.insert(AuditEvent(at: now, kind: .login), in: database) }
        }
        let end = now + .seconds(1)
        let first = try await database.backgroundWrite {
            try AuditTable.forget(plain: false, before: end, batch: 500, in: $0)
        }
        #expect(first == 500)
        #expect(try rows("events", database) == 700)
        time.advance(by: .seconds(91 * 86_400))
        try await cleanup(database).clean()
        #expect(try rows("events", database) == 0)
        try database.close()
    }

    @Test func `the clean-up deletes all ended sessions over several batches, and no live session`() async throws {
        let database = try database()
        let user = UUID(), now = time.now()
        let count = 2 * CleanupService.batch + CleanupService.batch / 2
        try await database.durably { database in
            for number in 0...count {
                var row = SessionRow.start(
                    user: user,
                    mode: .intent,
                    device: Device(),
                    lifetimes: Lifetimes(),
                    keyID: 1,
                    now: now
                )
                if number > 0 { row.ending = SessionRow.Ending(at: now + .seconds(-400 * 86_400), reason: .logout) }
                try SessionTable.insert(row, in: database)
            }
        }
        let cleanup = try cleanup(database)
        try await cleanup.clean()
        #expect(try rows("sessions", database) == 1)
        #expect(cleanup.status.deleted["sessions"] == count)
        try database.close()
    }
}
