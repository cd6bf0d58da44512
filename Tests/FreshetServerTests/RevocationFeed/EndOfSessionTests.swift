// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetMetrics
import FreshetWire
import HTTPTypes
import IdentityFixtures
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

/// On PostgreSQL two servers share the database, and their clocks differ; on SQLite a server and the operator's commands do.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct `The end of a session` {
    private let apple: AppleUnderTest

    init() async throws { apple = try await AppleUnderTest() }

    private func configuration(_ server: ServerUnderTest) throws -> ServerConfiguration {
        var configuration = server.configuration
        configuration.database?.connections = 4
        try FeedSubscriber.register(in: &configuration)
        let file = server.folder.appending(path: "apple.json")
        try apple.publish(to: file)
        configuration.appleKeys = file
        configuration.appleAudiences = [AppleUnderTest.app]
        configuration.signIn.sessionsPerUser = 3
        return configuration
    }

    /// A session that another process has opened.
    private func row(of user: UUID, on stage: SessionEndScenario.Stage) -> SessionRow {
        SessionRow.start(
            user: user,
            mode: .intent,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: stage.now()
        )
    }

    private func run(
        on engine: DatabaseEngine,
        _ body: @escaping @Sendable ([TestHTTPClient], SessionEndScenario.Stage) async throws -> Void
    ) async throws {
        let place = try engine.make()
        let server = ServerUnderTest(database: place.postgres, folder: place.folder)
        let configuration = try configuration(server)
        let now = server.readClock
        let apple = apple
        try await server.run(configuration) { one in
            let adminService = try AdminService(in: place.folder, database: place.postgres, clock: now)
            let stage = SessionEndScenario.Stage(caller: one, adminService: adminService, apple: apple, now: now) {
                server.advance(by: $0)
            }
            if engine == .postgres {
                let neighbour = ServerUnderTest(database: place.postgres, folder: place.folder)
                // Further than a frequent scan reaches back.
                neighbour.advance(by: .seconds(45))
                try await neighbour.run(configuration) { two in try await body([one, two], stage) }
            } else {
                try await body([one], stage)
            }
            try adminService.close()
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `the end of a session closes its sockets and is reported once by every server, regardless of the cause`(
        engine: DatabaseEngine
    ) async throws {
        try await run(on: engine) { servers, stage in
            let followers = servers.map { FeedSubscriber($0) }
            var ended: [(session: SessionID, way: SessionEndScenario)] = []
            for way in SessionEndScenario.allCases {
                let grant = try await way.begin(on: stage)
                let sockets = try await servers.asyncMap { try await $0.socket(grant.accessToken) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for follower in followers { group.addTask { try await follower.follow(until: grant.sessionID) } }
                    for socket in sockets {
                        group.addTask {
                            let last = await socket.rest().last
                            #expect(last == .close(4410, way.reason.rawValue), "\(way)")
                        }
                    }
                    try await way.end(grant, on: stage)
                    try await group.waitForAll()
                }
                for server in servers {
                    let answer = try await server.send(.get, NativePath.me, bearer: grant.accessToken)
                    #expect(answer.error == "401 invalid_token", "\(way)")
                }
                ended.append((grant.sessionID, way))
            }
            // Nothing is told again, and each ending is written down and counted once.
            var counted = 0, countedElsewhere = 0, told = 0
            for (server, follower) in zip(servers, followers) {
                for _ in 1...2 { try await server.parts.revocations.scan() }
                try await follower.poll()
                for (session, way) in ended {
                    #expect(await follower.told[session.description] == [way.reason.rawValue], "\(way)")
                }
                told = await follower.told.count
                server.parts.sessions.publishUnclaimedEnds(foundBefore: .now)
                let metrics = server.parts.metrics.samples
                counted = Int(metrics.counts(of: "freshet_sign_outs_total", by: "reason").values.reduce(0, +))
                #expect(counted == told)
                let elsewhere = metrics.counts(of: "freshet_sign_outs_elsewhere_total", by: "reason")
                countedElsewhere += Int(elsewhere.values.reduce(0, +))
                await server.parts.audit.write()
            }
            // One of two servers ends only the sessions that commands end.
            let byCommand = SessionEndScenario.allCases.count(where: \.isByCommand)
            #expect(countedElsewhere == (servers.count == 1 ? byCommand : byCommand + counted))
            for (session, way) in ended {
                let events = try await stage.caller.database.read { try AuditTable.events(of: session, in: $0) }
                #expect(events.filter { $0.kind == .ended }.map(\.reason) == [way.reason], "\(way)")
            }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a feed subscriber gets every ended session even if more sessions end together than fit on a page`(
        engine: DatabaseEngine
    ) async throws {
        try await run(on: engine) { servers, stage in
            let followers = servers.map { FeedSubscriber($0) }
            for follower in followers { try await follower.poll() }
            let count = 2 * RevocationPoller.pageSize + 1
            let user = UUID()
            let rows = (0..<count).map { _ in
                row(of: user, on: stage)
            }
            // As another process does it.
            let other = stage.adminService.database
            try await other.durably { database in for row in rows { try SessionTable.insert(row, in: database) } }
            #expect(try await stage.adminService.end(of: user) == count)
            for (server, follower) in zip(servers, followers) {
                while await follower.told.count < count { try await follower.poll(wait: 20) }
                try await server.parts.revocations.scan()
                try await follower.poll()
                #expect(await Set(follower.told.values) == [["revoked_by_operator"]])
                #expect(rows.allSatisfy { server.parts.sessions.ended.contains($0.id) })
            }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a session end that is dated minutes in the past closes the session's sockets`(engine: DatabaseEngine)
        async throws
    {
        try await run(on: engine) { servers, stage in
            let grant = try await SessionEndScenario.logout.begin(on: stage)
            let sockets = try await servers.asyncMap { try await $0.socket(grant.accessToken) }
            // A clock that is wrong, or a commit that had to wait.
            let late = stage.now() + .seconds(-300)
            try await stage.adminService.database.durably { database in
                let sql = "UPDATE sessions SET ended_at = ?, reason = ? WHERE id = ?"
                _ = try database.execute(sql, [late, EndReason.fork.rawValue, grant.sessionID])
            }
            for socket in sockets { #expect(await socket.rest().last == .close(4410, "fork")) }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a session end that a promoted standby has lost is stored again at the next refresh`(engine: DatabaseEngine)
        async throws
    {
        try await run(on: engine) { servers, stage in
            let grant = try await SessionEndScenario.logout.begin(on: stage)
            let id = grant.sessionID
            let database = stage.adminService.database
            let row = try #require(try await database.read { try SessionTable.find(id, in: $0) })
            #expect(try await stage.adminService.end(of: row.user) == 1)
            for server in servers { try await server.parts.revocations.scan() }
            try await database.durably { database in
                _ = try database.execute("UPDATE sessions SET ended_at = NULL, reason = NULL WHERE id = ?", [id])
            }
            for server in servers {
                let error = await #expect(throws: APIError.self) {
                    try await server.parts.sessions.refresh(
                        RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text)
                    )
                }
                #expect(error?.code == .invalidGrant && error?.reason == .revokedByOperator)
            }
            let again = try #require(try await database.read { try SessionTable.find(id, in: $0) })
            #expect(again.ending?.reason == .revokedByOperator)
            #expect(again.rotation == row.rotation)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a session end that a promoted standby has lost is not undone by a repeated sign-in`(engine: DatabaseEngine)
        async throws
    {
        try await run(on: engine) { servers, stage in
            let sent = try await stage.caller.code(for: "ann@example.com")
            let verification = CodeVerification(
                attempt: sent.attempt,
                code: sent.code,
                device: Device(),
                intent: Intent.random().text
            )
            let grant: SessionTokens = try await stage.caller.post(NativePath.loginCodeVerify, verification).json()
            let database = stage.adminService.database
            let row = try #require(try await database.read { try SessionTable.find(grant.sessionID, in: $0) })
            #expect(try await stage.adminService.end(of: row.user) == 1)
            for server in servers { try await server.parts.revocations.scan() }
            try await database.durably { database in
                let sql = "UPDATE sessions SET ended_at = NULL, reason = NULL WHERE id = ?"
                _ = try database.execute(sql, [grant.sessionID])
            }
            for server in servers {
                let answer = try await server.post(NativePath.loginCodeVerify, verification)
                #expect(answer.error == "400 invalid_grant")
            }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a session end that a failed scan missed is found by the next scan, and every end is reported once`(
        engine: DatabaseEngine
    ) async throws {
        try await run(on: engine) { servers, stage in
            let rows = (0...RevocationPoller.pageSize).map { index in
                var row = row(of: UUID(), on: stage)
                // The last one is on the second page; all are dated in the future, as if by a clock that is ahead.
                row.ending = SessionRow.Ending(at: stage.now() + .seconds(60 + index), reason: .logout)
                return row
            }
            let last = try #require(rows.last)
            let parts = stage.caller.parts
            try await stage.adminService.database.durably { database in
                for row in rows { try SessionTable.insert(row, in: database) }
                _ = try database.execute(#"UPDATE sessions SET "user" = ? WHERE id = ?"#, [[UInt8(1)], last.id])
            }
            await #expect(throws: SQLError.self) { try await parts.revocations.scan() }
            #expect(parts.sessions.ended.contains(rows[0].id))
            #expect(!parts.sessions.ended.contains(last.id))
            try await stage.adminService.database.durably { database in
                _ = try database.execute(#"UPDATE sessions SET "user" = ? WHERE id = ?"#, [last.user, last.id])
            }
            try await parts.revocations.scan()
            #expect(parts.sessions.ended.contains(last.id))
            let ended = stage.caller.log.lines.filter { $0["message"] == "session ended" }.compactMap { $0["session"] }
            #expect(ended.count == rows.count && Set(ended) == Set(rows.map(\.id.description)))
        }
    }

    /// Whichever request has committed the end, and has not published it yet, or has lost its connection meanwhile.
    ///
    /// A commit that waits for a standby is dated long before.
    @Test(arguments: [0, -30, -300])
    func `a request that finds the end of its session is answered after the session's access tokens are refused`(
        seconds: Int
    ) async throws {
        try await run(on: .sqlite) { servers, stage in
            let caller = stage.caller
            let requests: [(@Sendable (SessionTokens) async throws -> TestHTTPClient.Answer, String)] = [
                ({ try await caller.present(NativePath.logout, $0.refreshToken) }, "204"),
                ({ try await caller.refresh($0.refreshToken, .random()) }, "400 invalid_grant revoked_by_operator"),
                ({ try await caller.send(.post, NativePath.logoutAll, bearer: $0.accessToken) }, "401 invalid_token"),
                (
                    { grant in
                        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                        let text = "token=\(grant.accessToken)&client_id=phone"
                        return try await caller.send(.post, NativePath.oauthRevoke, text, headers: form)
                    }, "200"
                ),
            ]
            for (index, (send, status)) in requests.enumerated() {
                let grant = try await caller.signUp("user\(index)@example.com")
                let at = stage.now() + .seconds(seconds)
                try await stage.adminService.database.durably { database in
                    let sql = "UPDATE sessions SET ended_at = ?, reason = ? WHERE id = ?"
                    _ = try database.execute(sql, [at, EndReason.revokedByOperator.rawValue, grant.sessionID])
                }
                #expect(try await send(grant).error == status)
                #expect(servers[0].parts.sessions.ended.contains(grant.sessionID), "request \(index)")
                let answer = try await caller.send(.get, NativePath.me, bearer: grant.accessToken)
                #expect(answer.error == "401 invalid_token")
            }
        }
    }

    /// Only what it keeps may be told as new, or catching up would never end.
    @Test func `a follower catches up with more ended sessions than the server keeps in memory`() async throws {
        try await run(on: .sqlite) { servers, stage in
            let parts = servers[0].parts
            let rows = (0..<100).map { index in
                var row = row(of: UUID(), on: stage)
                row.ending = SessionRow.Ending(at: stage.now() + .seconds(-100 + index), reason: .logout)
                return row
            }
            try await stage.adminService.database.durably { database in
                for row in rows { try SessionTable.insert(row, in: database) }
            }
            try await parts.revocations.scan()
            let lifetime = parts.sessions.ended.maximumTokenLifetime
            let cache = RevokedSessionCache(maximumTokenLifetime: lifetime, capacity: 10)
            let sessions = parts.sessions.using(ended: cache)
            let poller = RevocationPoller(sessions: sessions, log: parts.log)
            let reader = RevocationFeedReader(feed: parts.feed.feed, revocations: poller)
            #expect(try await reader.page(after: nil, wait: 0).ended.count == rows.count)
            let (next, since) = (parts.feed.feed.next, cache.acceptsTokensSince)
            #expect(cache.count < rows.count && since > rows[0].createdAt + .seconds(-1))
            #expect(try await reader.page(after: nil, wait: 0).ended.count == rows.count)
            #expect(parts.feed.feed.next == next && cache.acceptsTokensSince == since)
        }
    }

    /// As after the promotion of a standby that lacks the end.
    @Test(arguments: DatabaseEngine.wanted)
    func `the feed reports an end that the database has lost, and the session's second end`(engine: DatabaseEngine)
        async throws
    {
        try await run(on: engine) { servers, stage in
            let grant = try await SessionEndScenario.endedByCommand.begin(on: stage)
            try await SessionEndScenario.endedByCommand.end(grant, on: stage)
            for server in servers { try await server.parts.revocations.scan() }
            let lost = try await stage.adminService.database.durably { database in
                try database.execute(
                    "UPDATE sessions SET ended_at = NULL, reason = NULL WHERE id = ?",
                    [grant.sessionID]
                )
            }
            try #require(lost == 1)
            // Their first page is read from the database, which lacks the end; the servers know it.
            let followers = servers.map { FeedSubscriber($0) }
            let reason = SessionEndScenario.endedByCommand.reason.rawValue
            for follower in followers {
                try await follower.poll()
                #expect(await follower.told == [grant.sessionID.description: [reason]])
            }
            // Past the clock of the other server, at whose time a command ends sessions otherwise.
            stage.advance(.seconds(46))
            try await SessionEndScenario.endedByCommand.end(grant, on: stage)
            for (server, follower) in zip(servers, followers) {
                for _ in 1...2 { try await server.parts.revocations.scan() }
                try await follower.poll()
                #expect(await follower.told == [grant.sessionID.description: [reason, reason]])
            }
        }
    }
}

extension Sequence {
    /// The values of an asynchronous function, one after the other.
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
