// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(5)))
struct `The rollup of metrics` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.sqlite.make() }

    private func database() throws -> SQLiteDatabase { try SQLiteDatabase(in: place.folder) }

    @Test func `metrics are kept by minute for two days and by hour for ninety, and the rollup changes no sum`()
        async throws
    {
        let database = try database()
        let now = Timestamp.system()
        let figure = MetricSeries(.refreshes, "bound")
        try await database.backgroundWrite { database in
            for days in [0, 1, 3, 20, 89, 91, 200] as [Int64] {
                for minute in 0..<90 as Range<Int64> {
                    let minute = now.minute - days * 1440 - minute
                    for node in ["a", "b"] { try MetricsTable.recordUptime(minute, node: node, in: database) }
                    try MetricsTable.add([figure: 2], minute: minute, node: "a", in: database)
                    try MetricsTable.add([figure: 1], minute: minute, node: "b", in: database)
                }
            }
        }
        func sum(_ minutes: Int64) throws -> Int64? {
            try database.readNow {
                try $0.number(
                    "SELECT sum(value) FROM figures WHERE name = 'refreshes' AND minute >= ?",
                    [now.minute - minutes]
                )
            }
        }
        #expect(try sum(1_000_000) == 7 * 270)
        for _ in 1...2 {
            _ = try await MetricsRollup(database: database).run(at: now) { true }
            #expect(try sum(1_000_000) == 5 * 270)
            #expect(try sum(1441 + 90) == 2 * 270)
        }
        let rows = try database.readNow {
            try $0.number(
                "SELECT count(*) FROM figures WHERE minute < ? AND minute % 60 <> 0",
                [now.minute - 49 * 60]
            )
        }
        #expect(rows == 0)
        let month = try MetricsReport(.month, at: now, from: database)
        #expect(month.total(.refreshes) == 4 * 270)
        // Two servers in one hour are one hour.
        #expect((0..<month.count).map { month.uptimeMinutes($0) }.reduce(0, +) == 4 * 90)
        try database.close()
    }

    @Test func `the rollup of metrics changes no rows when its caller stops it`() async throws {
        let database = try database()
        let now = Timestamp.system()
        try await database.backgroundWrite { database in
            try MetricsTable.recordUptime(now.minute - 4 * 1440 - 1, node: "a", in: database)
            try MetricsTable.recordUptime(now.minute - 200 * 1440, node: "a", in: database)
        }
        #expect(try await MetricsRollup(database: database).run(at: now) { false } == 0)
        #expect(try database.readNow { try $0.number("SELECT count(*) FROM figures") } == 2)
        try database.close()
    }
}
