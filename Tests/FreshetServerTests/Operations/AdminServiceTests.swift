// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire
import GRDB
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics
@testable import FreshetServer

/// Operator commands beside a running server.
@Suite(.timeLimit(.minutes(5)))
struct `The operator's adminService` {
    let server = ServerUnderTest()

    private func adminService() throws -> AdminService {
        try AdminService(in: server.folder, clock: { [server] in server.readClock() })
    }

    private func ann(_ adminService: AdminService) throws -> AdminService.Account {
        try #require(try adminService.user(try PasswordLogin.address("ann@example.com")))
    }

    @Test func `an operator ends a session, and the running server refuses its tokens within a second`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let other = try await caller.signIn()
            let adminService = try adminService()
            #expect(try await adminService.end(of: try ann(adminService).id, only: grant.sessionID) == 1)
            try await server.hearOfEnd(of: grant, caller)
            #expect(RevocationScanPolicy.interval < .seconds(1))
            let answer = try await caller.refresh(grant.refreshToken, .random())
            #expect(answer.error == "400 invalid_grant revoked_by_operator")
            #expect(try await caller.send(.get, NativePath.me, bearer: other.accessToken).status == 200)
            await caller.parts.audit.write()
            let (_, timeline) = try #require(try adminService.session(grant.sessionID))
            #expect(timeline.why == "An operator ended this session.")
            #expect(timeline.entries.filter { $0.text.hasPrefix("ended") }.count == 1)
            #expect(caller.parts.metrics.text.contains(#"freshet_sign_outs_total{reason="revoked_by_operator"} 1"#))
            try adminService.close()
        }
    }

    @Test(arguments: [Duration.seconds(-3 * 86_400), .seconds(3 * 86_400)])
    func `an operator ends a session on the running server although the command's clock is days off`(offset: Duration)
        async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            try await caller.parts.clock.synchronize(with: caller.database, stores: true)
            let adminService = try AdminService(in: server.folder, clock: { [server] in server.readClock() + offset })
            #expect(try await adminService.end(of: try ann(adminService).id, only: grant.sessionID) == 1)
            try await server.hearOfEnd(of: grant, caller)
            try adminService.close()
        }
    }

    /// The command reads the machine's clock, which the server does not follow for an hour; the server searches its recent
    /// past.
    @Test(arguments: [[-30], [30], [30, -20]])
    func `a session that an operator ends after the machine's clock was set has ended at the server's time or later`(
        days: [Int]
    ) async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            for days in days { server.jump(by: .seconds(days * 86_400)) }
            server.advance(by: .seconds(50 * 60))
            try await caller.parts.clock.synchronize(with: caller.database, stores: true)
            let adminService = try adminService()
            #expect(try await adminService.end(of: try ann(adminService).id, only: grant.sessionID) == 1)
            let row = try #require(try adminService.session(grant.sessionID)).row
            #expect(try #require(row.ending).at >= caller.parts.clock())
            try adminService.close()
        }
    }

    /// After a power failure the database may lack the last times that the server stored.
    @Test func `a session that an operator ends has ended at its last use or later`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            server.advance(by: .seconds(600))
            _ = try await caller.refresh(grant.refreshToken, .random())
            let lastUse = caller.parts.clock()
            server.jump(by: .seconds(-30 * 86_400))
            _ = try await caller.database.durably { try $0.execute("DELETE FROM housekeeping") }
            let adminService = try adminService()
            #expect(try await adminService.end(of: try ann(adminService).id) == 1)
            let row = try #require(try adminService.session(grant.sessionID)).row
            #expect(try #require(row.ending).at == lastUse)
            try await server.hearOfEnd(of: grant, caller)
            try adminService.close()
        }
    }

    @Test func `a disabled account loses its sessions, and sign-ins are refused until the account is enabled again`()
        async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let adminService = try adminService()
            #expect(try await adminService.disable(try ann(adminService).id) == 1)
            try await server.hearOfEnd(of: grant, caller)
            #expect(
                try await caller.refresh(grant.refreshToken, .random()).error == "400 invalid_grant user_disabled"
            )
            let right = PasswordCredentials(email: "ann@example.com", password: "correct horse")
            #expect(try await caller.post(NativePath.loginPassword, right).error == "400 invalid_grant user_disabled")
            let wrong = PasswordCredentials(email: "ann@example.com", password: "wrong horse")
            #expect(try await caller.post(NativePath.loginPassword, wrong).error == "400 invalid_grant")
            let code = try await caller.code(for: "ann@example.com")
            let verification = CodeVerification(attempt: code.attempt, code: code.code)
            #expect(
                try await caller.post(NativePath.loginCodeVerify, verification).error
                    == "400 invalid_grant user_disabled"
            )
            #expect(try ann(adminService).disabledAt != nil)
            try await adminService.enable(try ann(adminService).id)
            #expect(try await caller.post(NativePath.loginPassword, right).status == 200)
            let kinds = try adminService.events(of: try ann(adminService).id).map(\.kind)
            #expect(kinds.contains(.userDisabled) && kinds.contains(.userEnabled))
            try adminService.close()
        }
    }

    @Test func `a deleted account loses its sessions, and a new sign-up creates a different user`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let adminService = try adminService()
            let user = try ann(adminService).id
            #expect(try await adminService.delete(user) == 1)
            try await server.hearOfEnd(of: grant, caller)
            #expect(try adminService.users().isEmpty)
            #expect(try await caller.signUp().user.id != grant.user.id)
            #expect(try adminService.events(of: user).last?.kind == .userDeleted)
            try adminService.close()
        }
    }

    @Test func `the admin service does not open a missing database or one that a newer version wrote`() async throws {
        #expect(throws: DatabaseStartupError.self) { try adminService() }
        try await server.run { _ in }
        let database = try server.openDatabase()
        try await database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 the future')") }
        try database.close()
        #expect(throws: DatabaseStartupError.newerSchema("99 the future")) { try adminService() }
        #expect(throws: DatabaseStartupError.newerSchema("99 the future")) {
            try SchemaMigrator(in: server.folder).status()
        }
        #expect("\(DatabaseStartupError.newerSchema("99 the future"))".contains("restore a backup"))
    }

    @Test func `the admin service opens an older database only after its migration`() async throws {
        try await server.run { _ in }
        let database = try server.openDatabase()
        try await database.write { database in
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '5 %'")
            try database.execute(sql: "DROP TABLE events; DROP TABLE housekeeping")
            try database.execute(sql: "ALTER TABLE users DROP COLUMN disabled_at")
        }
        try database.close()
        #expect(throws: DatabaseStartupError.olderSchema("5 create events and housekeeping, add users.disabled_at")) {
            try adminService()
        }
        let schema = SchemaMigrator(in: server.folder)
        #expect(
            try schema.status().last { !$0.isApplied }
                == SchemaMigrator.Status(migration: .auditTrail, isApplied: false)
        )
        #expect(SchemaMigration.auditTrail.isOnlineSafe)
        #expect(try schema.migrate() == [.auditTrail])
        #expect(try schema.migrate() == [])
        try adminService().close()
    }

    @Test func `a backup is kept although the database cannot record the backup's time`() async throws {
        let copy = server.folder.appending(path: "copy.sqlite")
        _ = try await server.grants { caller in
            let fault = "BEGIN SELECT RAISE(ABORT, 'full'); END"
            _ = try await caller.database.durably {
                try $0.execute("CREATE TRIGGER full BEFORE INSERT ON housekeeping \(fault)", [])
            }
            let adminService = try adminService()
            try adminService.backup(to: copy)
            #expect(throws: (any Error).self) { try adminService.recordBackup() }
            #expect(try PrivateFiles.isPrivateFile(copy))
            try adminService.close()
            return []
        }
    }

    @Test func `a backup of a running database can be restored, and clients' newer tokens are accepted`() async throws {
        let copy = server.folder.appending(path: "copy.sqlite")
        let grants = try await server.grants { caller in
            let grant = try await caller.signUp()
            let ended = try await caller.signIn()
            let adminService = try adminService()
            try adminService.backup(to: copy)
            #expect(throws: (any Error).self) { try adminService.backup(to: copy) }
            #expect(try PrivateFiles.isPrivateFile(copy))
            // The session goes on for four generations that the copy does not have.
            var token = grant.refreshToken
            for _ in 1...4 { token = try await caller.refresh(token, .random()).json(SessionTokens.self).refreshToken }
            #expect(try await caller.present(NativePath.logout, ended.refreshToken).status == 204)
            try adminService.close()
            var last = grant
            last.refreshToken = token
            return [grant, last, ended]
        }
        for name in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: server.folder.appending(path: "freshet.sqlite\(name)"))
        }
        try FileManager.default.moveItem(at: copy, to: server.folder.appending(path: "freshet.sqlite"))
        try await server.run { caller in
            let answer = try await caller.refresh(grants[1].refreshToken, .random())
            #expect(answer.status == 200)
            let next: SessionTokens = try answer.json()
            #expect(try await caller.present(NativePath.confirm, next.refreshToken).status == 204)
            #expect(caller.log.lines.contains { $0["lost_generations"] == "3" })
            #expect(caller.parts.metrics.text.contains("freshet_lost_commits_total 3\n"))
            // The token of the copy's time is as old as it was.
            #expect(try await caller.refresh(grants[0].refreshToken, .random()).error == "409 superseded")
            // The copy does not contain a sign-out that happened after it was made.
            #expect(try await caller.refresh(grants[2].refreshToken, .random()).status == 200)
        }
    }
}
