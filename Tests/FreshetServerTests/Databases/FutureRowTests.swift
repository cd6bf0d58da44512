// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics
@testable import FreshetPages
@testable import FreshetServer

/// In a rolling deployment a newer server writes what this one has no words for.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `Rows of a newer server` {
    private func run(
        on engine: DatabaseEngine,
        _ body: @escaping @Sendable (TestHTTPClient, AdminService, OperatorBrowser) async throws -> Void
    ) async throws {
        let place = try engine.make()
        let server = ServerUnderTest(database: place.postgres, folder: place.folder)
        var configuration = server.configuration
        configuration.database?.connections = 4
        try FeedSubscriber.register(in: &configuration)
        let now = server.readClock
        try await server.operated(configuration) { caller, browser in
            let adminService = try AdminService(in: place.folder, database: place.postgres, clock: now)
            try await body(caller, adminService, browser)
            try adminService.close()
        }
    }

    /// Writes into a session's row as a newer server may.
    private static func write(
        _ columns: String,
        _ values: [(any SQLConvertible & Sendable)?],
        _ grant: SessionTokens,
        _ adminService: AdminService
    ) async throws {
        try await adminService.database.durably { database in
            let sql = "UPDATE sessions SET \(columns) WHERE id = ?"
            let changed = try database.execute(sql, values + [grant.sessionID])
            try #require(changed == 1)
        }
    }

    @Test(
        arguments: DatabaseEngine.wanted,
        [
            ("newer_reason", "newer_reason"), ("<b>x</b>\r\n", "other"), (nil, "other"),
        ] as [(String?, String)]
    )
    func `a session that a newer server ended for an unknown reason is treated as ended everywhere`(
        engine: DatabaseEngine,
        reason: (stored: String?, told: String)
    ) async throws {
        try await run(on: engine) { caller, adminService, browser in
            let grant = try await caller.signUp()
            let other = try await caller.signIn()
            let follower = FeedSubscriber(caller)
            try await follower.poll()
            let socket = try await caller.socket(grant.accessToken)
            try await Self.write(
                "ended_at = ?, reason = ?",
                [adminService.clock(), reason.stored],
                grant,
                adminService
            )
            #expect(await socket.rest().last == .close(4410, reason.told))
            try await follower.follow(until: grant.sessionID)
            #expect(await follower.told == [grant.sessionID.description: [reason.told]])
            // Every path reads the row: none fails, and the ending holds.
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 401)
            let final = "400 invalid_grant \(reason.told)"
            #expect(try await caller.refresh(grant.refreshToken, .random()).error == final)
            #expect(try await caller.present(NativePath.confirm, grant.refreshToken).error == final)
            #expect(try await caller.present(NativePath.report, grant.refreshToken).error == final)
            #expect(try await caller.present(NativePath.logout, grant.refreshToken).status == 204)
            #expect(try await caller.sessions(other).map(\.id) == [other.sessionID])
            let path = "\(NativePath.sessions)/\(grant.sessionID)"
            #expect(try await caller.send(.delete, path, bearer: other.accessToken).status == 404)
            let user = try #require(try adminService.user(try PasswordLogin.address("ann@example.com"))).id
            #expect(try adminService.sessions(of: user).count == 2)
            let (row, timeline) = try #require(try adminService.session(grant.sessionID))
            #expect(row.ending?.reason.rawValue == reason.told)
            #expect(timeline.why.contains("for a reason that this version does not know (\(reason.told))"))
            _ = try await browser.signIn()
            #expect(try await browser.find("ann@example.com").text.contains("that this version does not know"))
            #expect(try await browser.get("\(SessionExplorer.home)/\(grant.sessionID)").status == 200)
            #expect(try await browser.get(SessionExplorer.home).status == 200)
            try await caller.parts.cleanup.clean()
            #expect(caller.parts.cleanup.status.sessions["ended"] == 1)
            caller.parts.sessions.publishUnclaimedEnds(foundBefore: .now)
            #expect(caller.parts.metrics.text.contains(#"freshet_sign_outs_total{reason="other"} 1"#))
            // The session's owner can act on it, and the others go on.
            #expect(try await adminService.end(of: user) == 1)
        }
    }

    @Test(arguments: DatabaseEngine.wanted, [3, 300])
    func `a session in an unknown mode gets 503 on refresh, stays listed and can be ended`(
        engine: DatabaseEngine,
        mode: Int
    ) async throws {
        try await run(on: engine) { caller, adminService, browser in
            let grants = [try await caller.signUp(), try await caller.signIn(), try await caller.signIn()]
            let other = try await caller.signIn()
            for grant in grants { try await Self.write("mode = ?", [Int64(mode)], grant, adminService) }
            let grant = grants[0]
            // Nothing final: a newer server knows.
            for _ in 1...2 {
                let answer = try await caller.refresh(grant.refreshToken, .random())
                #expect(answer.error == "503 unavailable")
                #expect(answer.headers[.retryAfter] == "30")
                #expect(try await caller.present(NativePath.confirm, grant.refreshToken).error == "503 unavailable")
                #expect(try await caller.present(NativePath.report, grant.refreshToken).error == "503 unavailable")
            }
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 200)
            #expect(try await caller.sessions(other).count == 4)
            let user = try #require(try adminService.user(try PasswordLogin.address("ann@example.com"))).id
            #expect(try adminService.sessions(of: user).count == 4)
            #expect(try adminService.session(grant.sessionID)?.row.rotation.mode == .other(Int64(mode)))
            _ = try await browser.signIn()
            #expect(try await browser.find("ann@example.com").status == 200)
            #expect(try await browser.get("\(SessionExplorer.home)/\(grant.sessionID)").status == 200)
            try await caller.parts.cleanup.clean()
            // Each way to end a session works, and the mode stays as it was.
            #expect(try await caller.present(NativePath.logout, grants[0].refreshToken).status == 204)
            let path = "\(NativePath.sessions)/\(grants[1].sessionID)"
            #expect(try await caller.send(.delete, path, bearer: other.accessToken).status == 204)
            #expect(try await adminService.end(of: user) == 2)
            for (grant, reason) in zip(grants, ["logout", "revoked_by_user", "revoked_by_operator"]) {
                let answer = try await caller.refresh(grant.refreshToken, .random())
                #expect(answer.error == "400 invalid_grant \(reason)")
                #expect(try adminService.session(grant.sessionID)?.row.rotation.mode == .other(Int64(mode)))
            }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `unknown event kinds, methods, devices and code purposes in rows cause no server error`(engine: DatabaseEngine)
        async throws
    {
        try await run(on: engine) { caller, adminService, browser in
            let grant = try await caller.signUp()
            let columns = "method = ?, dialect = ?, place = ?, device = ?"
            let device = #"["Ann's lens","visionOS 9","Lens 2","Notes","9.0","a sixth word",7]"#
            try await Self.write(columns, ["passkey", "an app of the future", "moon", device], grant, adminService)
            let user = try #require(try adminService.user(try PasswordLogin.address("ann@example.com"))).id
            try await adminService.database.durably { database in
                let sql = """
                    INSERT INTO events (at, kind, plain, "user", session, outcome, reason, times) \
                    VALUES (?, 'passkey_added', 0, ?, ?, 'shiny', 'newer_reason', 1)
                    """
                _ = try database.execute(sql, [adminService.clock(), user, grant.sessionID])
            }
            #expect(
                try adminService.events(of: user).contains {
                    $0.kind == .unknown && $0.reason?.rawValue == "newer_reason"
                }
            )
            let (_, timeline) = try #require(try adminService.session(grant.sessionID))
            #expect(timeline.entries.contains { $0.text == "something that this version does not know" })
            _ = try await browser.signIn()
            #expect(try await browser.find("ann@example.com").status == 200)
            #expect(try await browser.get("\(SessionExplorer.home)/\(grant.sessionID)").status == 200)
            let other = try await caller.signIn()
            #expect(try await caller.sessions(other).count == 2)
            // A session of a contract that is not served here is refreshed elsewhere: no final answer.
            #expect(try await caller.refresh(grant.refreshToken, nil).error == "400 invalid_request")
            try await caller.parts.cleanup.clean()

            let code = try await caller.code(for: "bob@example.com")
            try await adminService.database.durably { database in
                _ = try database.execute("UPDATE code_attempts SET purpose = 'passkey' WHERE id = ?", [code.attempt])
            }
            let verification = CodeVerification(attempt: code.attempt, code: code.code)
            #expect(try await caller.post(NativePath.loginCodeVerify, verification).error == "400 invalid_grant")
        }
    }
}
