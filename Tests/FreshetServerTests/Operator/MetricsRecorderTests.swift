// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics
@testable import FreshetPages
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The metrics recorder` {
    let server = ServerUnderTest()

    private func database() throws -> SQLiteDatabase {
        try PrivateFiles.prepare(server.folder)
        return try SQLiteDatabase(in: server.folder)
    }

    private func report(_ database: SQLiteDatabase, _ span: TimeRange, at now: Timestamp) throws -> MetricsReport {
        let start = span.start(at: now)
        let sums = try database.readNow {
            try MetricsTable.sums(
                from: start,
                until: start + Int64(span.count) * span.step,
                step: span.step,
                in: $0
            )
        }
        return MetricsReport(span, at: now, sums: sums)
    }

    @Test func `has what happened under the minute in which it did, also after a restart`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp(device: Device(platform: "iOS"))
            #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
            await caller.parts.metricsRecorder.write()
            server.advance(by: .seconds(120))
            await caller.parts.metricsRecorder.write()
            #expect(try await caller.refresh(grant.refreshToken, .random()).error == "400 invalid_grant fork")
            // Shown before it is written.
            let report = try await caller.parts.metricsRecorder.report(.hour)
            #expect(report.totals(.refreshes) == ["bound": 1, "fork": 1])
            #expect(report.totals(.signOuts) == ["fork": 1])
        }
        // The counts of the last minute are stored when the server stops.
        let database = try database()
        let report = try report(database, .hour, at: server.readClock())
        #expect(report.values(.refreshes).suffix(3) == [1, 0, 1])
        #expect(report.totals(.signIns) == ["ios": 1])
        #expect(report.histogram(.refreshSeconds, bounds: ServerMetrics.bounds).count == 2)
        #expect(report.histogram(.commitSeconds, bounds: ServerMetrics.bounds).count > 0)
        try database.close()
    }

    @Test func `distinguishes minutes without a server from minutes without events`() async throws {
        for _ in 1...2 {
            try await server.run { _ in }
            server.advance(by: .seconds(600))
        }
        let database = try database()
        let values = try report(database, .hour, at: server.readClock()).values(.refreshes)
        #expect(values.compactMap(\.self) == [0, 0])
        #expect(values.count == 60)
        try database.close()
    }

    @Test func `counts an ending once, whichever process it came from`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let adminService = try AdminService(in: server.folder, clock: { [server] in server.readClock() })
            let user = try #require(UUID(uuidString: grant.user.id))
            #expect(try await adminService.end(of: user) == 1)
            try adminService.close()
            try await server.hearOfEnd(of: grant, caller)
            let report = try await caller.parts.metricsRecorder.report(.hour)
            #expect(report.totals(.signOuts) == ["revoked_by_operator": 1])
        }
    }

    @Test func `keeps minutes for two days and hours for ninety, and no sum changes on the way`() async throws {
        let database = try database()
        let now = server.readClock()
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
        let month = try report(database, .month, at: now)
        #expect(month.total(.refreshes) == 4 * 270)
        // Two servers in one hour are one hour.
        #expect((0..<month.count).map { month.uptimeMinutes($0) }.reduce(0, +) == 4 * 90)
        try database.close()
    }

    @Test func `stops growing old when it is told to`() async throws {
        let database = try database()
        let now = server.readClock()
        try await database.backgroundWrite { database in
            try MetricsTable.recordUptime(now.minute - 4 * 1440 - 1, node: "a", in: database)
            try MetricsTable.recordUptime(now.minute - 200 * 1440, node: "a", in: database)
        }
        #expect(try await MetricsRollup(database: database).run(at: now) { false } == 0)
        #expect(try database.readNow { try $0.number("SELECT count(*) FROM figures") } == 2)
        try database.close()
    }

    @Test func `counts live sessions by the devices that their apps reported`() async throws {
        try await server.run { caller in
            _ = try await caller.signUp(device: Device(platform: "iOS 18.1", app: "Notes", appVersion: "2.5"))
            _ = try await caller.signUp("bob@example.com", device: Device(platform: "iPhone"))
            _ = try await caller.signUp("eve@example.com")
            try await caller.parts.cleanup.clean()
            let census = caller.parts.cleanup.status.clients
            #expect(Set(census.platforms(5).map(\.name)) == ["ios", "other", "unknown"])
            #expect(census.versions(5) == [.init(ClientVersionCounts.notReported, 2), .init("Notes 2.5", 1)])
        }
    }

    @Test func `knows when the last copy was made`() async throws {
        try await server.run { caller in
            let database = caller.parts.database
            #expect(try await database.read { try LastBackup.get(in: $0) } == nil)
            let adminService = try AdminService(in: server.folder, clock: { [server] in server.readClock() })
            try adminService.backup(to: server.folder.appending(path: "copy.sqlite"))
            try adminService.close()
            #expect(try await database.read { try LastBackup.get(in: $0) } == server.readClock())
        }
    }
}
