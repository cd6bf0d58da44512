// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import ServerFixtures
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

    @Test func `a metrics report assigns events to their minutes, also after the server has stopped`() async throws {
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
        let report = try MetricsReport(.hour, at: server.readClock(), from: database)
        #expect(report.values(.refreshes).suffix(3) == [1, 0, 1])
        #expect(report.totals(.signIns) == ["ios": 1])
        #expect(report.histogram(.refreshSeconds, bounds: ServerMetrics.bounds).count == 2)
        #expect(report.histogram(.commitSeconds, bounds: ServerMetrics.bounds).count > 0)
        try database.close()
    }

    @Test func `a metrics report distinguishes minutes without a server from minutes without events`() async throws {
        for _ in 1...2 {
            try await server.run { _ in }
            server.advance(by: .seconds(600))
        }
        let database = try database()
        let report = try MetricsReport(.hour, at: server.readClock(), from: database)
        let values = report.values(.refreshes)
        #expect(values.compactMap(\.self) == [0, 0])
        #expect(values.count == 60)
        try database.close()
    }

    @Test func `a metrics report has the counts of a write in progress`() async throws {
        let base = try database()
        let database = DatabaseWithHeldWrite(base)
        let metrics = ServerMetrics()
        let recorder = MetricsRecorder(
            database: database,
            metrics: metrics,
            log: CapturedLog().logger,
            clock: server.readClock
        )
        metrics.count("freshet_sign_outs_total", [("reason", "logout")])
        let write = Task { await recorder.write() }
        await database.waitForWrite()
        let hasReturned = NIOLockedValueBox(false)
        let report = Task {
            defer { hasReturned.withLockedValue { $0 = true } }
            return try await recorder.report(.hour)
        }
        while recorder.waitingCalls == 0, !hasReturned.withLockedValue({ $0 }) { await Task.yield() }
        database.releaseWrite()
        #expect(try await report.value.totals(.signOuts) == ["logout": 1])
        await write.value
        try base.close()
    }

    @Test func `a session that another process ended is counted once`() async throws {
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

    @Test func `live sessions are counted by the platform and version that their apps reported`() async throws {
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

    @Test func `the time of the last backup is stored in the database`() async throws {
        try await server.run { caller in
            let database = caller.parts.database
            #expect(try await database.read { try LastBackup.get(in: $0) } == nil)
            let adminService = try AdminService(in: server.folder, clock: { [server] in server.readClock() })
            try adminService.backup(to: server.folder.appending(path: "copy.sqlite"))
            try adminService.recordBackup()
            try adminService.close()
            #expect(try await database.read { try LastBackup.get(in: $0) } == server.readClock())
        }
    }
}
