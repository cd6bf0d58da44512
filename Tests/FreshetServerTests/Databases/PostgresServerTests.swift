// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import IdentityFixtures
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(3)), .enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
struct `A server on PostgreSQL` {
    private let place: DatabaseUnderTest
    private let server: ServerUnderTest

    init() throws {
        place = try DatabaseEngine.postgres.make()
        server = ServerUnderTest(database: place.postgres)
    }

    @Test func `a failing PostgreSQL signs no user out, and reuse is detected`() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.stop() }
        let server = ServerUnderTest(database: try PostgresConfiguration(try cluster.database()))
        try await server.run { caller in
            let intents = (0..<8).map { _ in Intent.random() }
            var tokens = [try await caller.signUp().refreshToken]
            for _ in 1..<8 { tokens.append(try await caller.signIn().refreshToken) }
            let first = tokens
            for round in 0..<3 {
                if round == 1 { try cluster.crash() }
                let next = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                    for index in 0..<8 {
                        let (token, intent) = (tokens[index], intents[index])
                        for _ in 0..<4 {
                            group.addTask {
                                while true {
                                    let answer = try await caller.refresh(token, intent)
                                    if answer.status == 503 {
                                        // The session's limit counts refreshes, not this.
                                        while try await caller.send(.get, NativePath.ready).status != 200 {}
                                        continue
                                    }
                                    try #require(answer.status == 200, "\(answer.error)")
                                    return (index, try answer.json(SessionTokens.self).refreshToken)
                                }
                            }
                        }
                    }
                    return try await group.reduce(into: tokens) { $0[$1.0] = $1.1 }
                }
                #expect(zip(next, tokens).allSatisfy { $0 != $1 })
                tokens = next
            }
            let old = try await caller.refresh(first[0], intents[0])
            #expect(old.error == "409 superseded")
            let other = try await caller.refresh(tokens[1], intents[1])
            #expect(other.status == 200)
            let fork = try await caller.refresh(tokens[1], .random())
            #expect(fork.error == "400 invalid_grant fork")
        }
        try await server.run { caller in _ = try await caller.signIn() }
    }

    @Test func `a server on PostgreSQL notifies the other server of a revocation within a second`() async throws {
        let neighbour = ServerUnderTest(database: place.postgres, folder: server.folder)
        try await server.run { one in
            let grant = try await one.signUp()
            try await neighbour.run { two in
                #expect(try await two.send(.get, NativePath.me, bearer: grant.accessToken).status == 200)
                _ = try await one.present(NativePath.logout, grant.refreshToken)
                // The token lives on for minutes: it is refused because the neighbour was told.
                neighbour.advance(by: .milliseconds(900))
                try await two.parts.revocations.scan()
                #expect(try await two.send(.get, NativePath.me, bearer: grant.accessToken).status == 401)
            }
        }
    }

    @Test func `a server is not ready while PostgreSQL is down, returns 503 to a refresh, and recovers`() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.stop() }
        let database = try PostgresConfiguration(try cluster.database())
        try await ServerUnderTest(database: database).run { caller in
            let grant = try await caller.signUp()
            try cluster.halt()
            let intent = Intent.random()
            let refused = try await caller.refresh(grant.refreshToken, intent)
            #expect(refused.error == "503 unavailable" && refused.headers[.retryAfter] != nil)
            #expect(try await caller.send(.get, NativePath.ready).status == 503)
            #expect(try await caller.send(.get, NativePath.live).status == 200)
            try cluster.start()
            while try await caller.send(.get, NativePath.ready).status != 200 {}
            var answer = try await caller.refresh(grant.refreshToken, intent)
            while answer.status == 503 { answer = try await caller.refresh(grant.refreshToken, intent) }
            #expect(answer.status == 200)
        }
        var impatient = database
        impatient.startupTimeout = .zero
        try cluster.halt()
        #expect { try PostgresDatabase(impatient) } throws: { error in
            guard case DatabaseStartupError.database(let reason) = error else { return false }
            return reason.contains("socket")
        }
    }

    @Test func `two servers share keys and sessions, and continue when a newer one changes the tables`()
        async throws
    {
        let keys = SuppliedKeys(folder: server.folder.appending(path: "keys-given"))
        func node(_ number: Int) -> ServerConfiguration {
            var configuration = server.configuration
            configuration.dataDirectory = server.folder.appending(path: "node-\(number)")
            configuration.keys.source = .text(keys.text)
            return configuration
        }
        let (first, second) = (node(1), node(2))
        let neighbour = ServerUnderTest(database: place.postgres)
        try await server.run(first) { one in
            try await neighbour.run(second) { two in
                let grant = try await one.signUp()
                let intent = Intent.random()
                let next: SessionTokens = try await two.refresh(grant.refreshToken, intent).json()
                #expect(try await one.send(.get, NativePath.me, bearer: next.accessToken).status == 200)
                // The same answer again, from whichever server is asked.
                let again: SessionTokens = try await one.refresh(grant.refreshToken, intent).json()
                #expect(again.refreshToken == next.refreshToken)
                #expect(try await two.refresh(grant.refreshToken, .random()).error == "400 invalid_grant fork")

                let newer = try PostgresConnection(try #require(place.postgres))
                try newer.run("ALTER TABLE sessions ADD COLUMN later TEXT; INSERT INTO migrations VALUES ('9 later')")
                let other = try await one.signIn()
                #expect(try await two.refresh(other.refreshToken, .random()).status == 200)
            }
        }
    }

    @Test func `concurrent refreshes and a logout of one session are serialized, with at most one successor`()
        async throws
    {
        try await server.run { caller in
            let token = try await caller.signUp().refreshToken
            let request = RefreshRequest(refreshToken: token, intent: Intent.random().text)
            let sessions = caller.parts.sessions
            let presented = try RefreshToken(token)
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<96 {
                    group.addTask {
                        number == 48 ? await end(presented, sessions) : await refresh(request, sessions)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(answers["ended"] == 1)
            // All that were served got one successor.
            #expect(answers.keys.filter { $0 != "ended" && $0 != "over" }.count <= 1)
        }
    }

    private func end(_ token: RefreshToken, _ sessions: SessionRegistry) async -> String {
        do { _ = try await sessions.present(TokenRequest(.logout, token: token)) } catch { return "\(error)" }
        return "ended"
    }

    private func refresh(_ request: RefreshRequest, _ sessions: SessionRegistry) async -> String {
        do { return try await sessions.refresh(request).refreshToken } catch {
            return (error as? APIError)?.reason == .logout ? "over" : "\(error)"
        }
    }

    @Test func `almost every refresh is a HOT update in PostgreSQL, and no refresh adds an event row`() async throws {
        try await server.run { caller in
            var token = try await caller.signUp().refreshToken
            for _ in 0..<40 {
                server.advance(by: .seconds(1))
                token = try await caller.refresh(token, .random()).json(SessionTokens.self).refreshToken
                await caller.parts.audit.write()
            }
            let rows = try number("SELECT count(*) FROM events", caller)
            #expect(rows == 1)
        }
        // A process of PostgreSQL's (15 or newer) counts for all to see when it ends, if it had no time before.
        let reader = try PostgresConnection(try #require(place.postgres))
        let end = """
            SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        _ = try reader.number(end)
        // A few may not find room on their page.
        let kept = """
            SELECT count(*) FROM pg_stat_user_tables WHERE relname = 'sessions' \
            AND n_tup_upd >= 40 AND n_tup_hot_upd >= n_tup_upd - 5
            """
        #expect(try reader.number(kept) == 1)
    }

    private func number(_ sql: String, _ caller: TestHTTPClient) throws -> Int64? {
        try caller.database.readNow { try $0.number(sql) }
    }
}
