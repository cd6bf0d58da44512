// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics

@Suite(.timeLimit(.minutes(5)))
struct `The clock monitor` {
    private let log = CapturedLog()

    /// A database whose first background write fails, and which reports each.
    private final class DatabaseWithFailingWrite: ForwardingDatabase {
        let base: any ServerDatabase
        let writes = AsyncStream.makeStream(of: Int.self)
        private let comparisons: @Sendable () -> Int
        private let isFirst = NIOLockedValueBox(true)

        init(_ base: any ServerDatabase, comparisons: @escaping @Sendable () -> Int) {
            self.base = base
            self.comparisons = comparisons
        }

        func backgroundWrite<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            writes.continuation.yield(comparisons())
            let fails = isFirst.withLockedValue { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if fails { throw SQLError.damaged("a disk that is full") }
            return try await base.backgroundWrite(body)
        }
    }

    @Test func `a time that could not be stored is stored at the next comparison, and then at each sixth`() async throws
    {
        let place = try DatabaseEngine.sqlite.make()
        let database = try SQLiteDatabase(in: place.folder)
        let readings = NIOLockedValueBox(0)
        let source = ClockSource(
            wall: {
                readings.withLockedValue { $0 += 1 }
                return Timestamp(milliseconds: 1_800_000_000_000)
            },
            monotonic: { .zero },
            queriesDatabase: false
        )
        let clock = ServerClock(source, metrics: ServerMetrics(), log: log.logger)
        let failing = DatabaseWithFailingWrite(database) { readings.withLockedValue { $0 } }
        let monitor = ClockMonitor(clock: clock, database: failing, log: log.logger, interval: .milliseconds(1))
        let task = Task { try await monitor.run() }
        var seen: [Int] = []
        for await reading in failing.writes.stream.prefix(3) { seen.append(reading) }
        task.cancel()
        _ = await task.result
        #expect(zip(seen, seen.dropFirst()).map { $1 - $0 } == [1, 6])
        try database.detach()
    }
}
