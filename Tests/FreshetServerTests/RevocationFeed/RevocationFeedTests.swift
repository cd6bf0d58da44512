// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetJWT
import FreshetWire
import HTTPTypes
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The feed of ended sessions` {
    let server = ServerUnderTest()

    private static let secret = "a secret that nobody guesses"
    private static let basic = "Basic " + Data("api:\(secret)".utf8).base64EncodedString()

    private func configuration() throws -> ServerConfiguration {
        var configuration = server.configuration
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let file = server.folder.appending(path: "clients.json")
        let hash = ClientSecretHash(of: Self.secret).text
        try Data(
            #"{"clients":[{"id":"api","kind":"confidential","secret":"\#(hash)"},{"id":"phone","kind":"public"}]}"#.utf8
        ).write(to: file)
        configuration.oauthClients = file
        return configuration
    }

    private static func poll(
        _ caller: TestHTTPClient,
        _ after: String? = nil,
        wait: Int? = nil,
        as authorization: String? = basic
    ) async throws -> TestHTTPClient.Answer {
        var query = URLComponents()
        query.queryItems = [
            after.map { URLQueryItem(name: "after", value: $0) },
            wait.map { URLQueryItem(name: "wait", value: "\($0)") },
        ].compactMap(\.self)
        var headers = HTTPFields()
        headers[.authorization] = authorization
        return try await caller.send(.get, NativePath.ended + "?" + (query.percentEncodedQuery ?? ""), headers: headers)
    }

    private static func page(_ caller: TestHTTPClient, _ after: String? = nil, wait: Int? = nil) async throws
        -> RevocationPage
    {
        let answer = try await poll(caller, after, wait: wait)
        try #require(answer.status == 200, "\(answer.error)")
        return try answer.json()
    }

    @Test func `the revocation feed responds to a waiting subscriber when a session ends`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await caller.signUp()
            let start = try await Self.page(caller)
            #expect(start.ended == [])
            async let waiting = Self.page(caller, start.cursor, wait: 30)
            let began = ContinuousClock.now
            #expect(try await caller.present(NativePath.logout, grant.refreshToken).status == 204)
            let page = try await waiting
            // Not at the end of its wait.
            #expect(ContinuousClock.now - began < .seconds(30))
            #expect(page.ended.map(\.sid) == [grant.sessionID.description])
            #expect(page.ended.map(\.reason) == ["logout"])
            #expect(!page.more)
            // From the old cursor it is told again, from the new one nothing is.
            #expect(try await Self.page(caller, start.cursor).ended == page.ended)
            #expect(try await Self.page(caller, page.cursor).ended == [])
            // A new subscriber gets it, too.
            #expect(try await Self.page(caller).ended.map(\.sid) == page.ended.map(\.sid))
        }
    }

    @Test func `the revocation feed continues after a restart, with the sessions that ended meanwhile`() async throws {
        let configuration = try configuration()
        let (cursor, tokens) = try await collect(configuration) { caller in
            let first = try await caller.signUp()
            let second = try await caller.signIn()
            let page = try await Self.page(caller)
            // No subscriber polls before the server stops.
            _ = try await caller.present(NativePath.logout, first.refreshToken)
            return (page.cursor, [first, second])
        }
        try await server.run(configuration) { caller in
            let caughtUp = try await Self.page(caller, cursor, wait: 20)
            #expect(caughtUp.ended.map(\.sid) == [tokens[0].sessionID.description])
            #expect(!caughtUp.more)
            _ = try await caller.present(NativePath.logout, tokens[1].refreshToken)
            #expect(try await Self.page(caller, caughtUp.cursor).ended.map(\.sid) == [tokens[1].sessionID.description])
        }
    }

    private func collect<Value: Sendable>(
        _ configuration: ServerConfiguration,
        _ body: @escaping @Sendable (TestHTTPClient) async throws -> Value
    ) async throws -> Value {
        let (values, found) = AsyncThrowingStream.makeStream(of: Value.self)
        try await server.run(configuration) { caller in
            found.yield(try await body(caller))
            found.finish()
        }
        for try await value in values { return value }
        throw CancellationError()
    }

    @Test func `the revocation feed lists ended sessions until their access tokens have expired`() async throws {
        let configuration = try configuration()
        try await server.run(configuration) { caller in
            var sessions: Set<String> = []
            for _ in 0..<3 {
                let grant = sessions.isEmpty ? try await caller.signUp() : try await caller.signIn()
                sessions.insert(grant.sessionID.description)
                _ = try await caller.present(NativePath.logout, grant.refreshToken)
            }
            #expect(Set(try await Self.page(caller).ended.map(\.sid)) == sessions)
            // The life of an access token, and how far two servers' clocks may differ.
            server.advance(by: .seconds(660) + ClockTrust.tolerance * 2 + .seconds(1))
            #expect(try await Self.page(caller).ended == [])
        }
    }

    @Test func `the revocation feed requires a confidential client, and refuses invalid cursors and wait times`()
        async throws
    {
        try await server.run(try configuration()) { caller in
            let wrong = "Basic " + Data("api:wrong".utf8).base64EncodedString()
            let phone = "Basic " + Data("phone:".utf8).base64EncodedString()
            for authorization in [nil, wrong, phone, "Bearer x"] {
                let answer = try await Self.poll(caller, as: authorization)
                #expect(answer.error == "401 invalid_client")
            }
            let cursors = [
                "x", "..", "abcdefgh.1", "abcdefgh.-1.0", "abcdefgh.1.99999999999999999", "abcdefgh.1.2.3.x",
            ]
            for cursor in cursors {
                #expect(try await Self.poll(caller, cursor).error == "400 invalid_request")
            }
            for wait in [-1, 31, 1_000_000] {
                #expect(try await Self.poll(caller, wait: wait).error == "400 invalid_request")
            }
            // A cursor of another server, or from the future of this one, starts anew.
            for cursor in ["abcdefgh.7.0", "abcdefgh.18446744073709551615.253402300800000"] {
                #expect(try await Self.poll(caller, cursor).status == 200)
            }
        }
        try await server.run { caller in
            let answer = try await Self.poll(caller)
            #expect(answer.status == 404)
        }
    }

    @Test func `a resource server that polls the revocation feed refuses the access tokens of an ended session`()
        async throws
    {
        try await server.run(try configuration()) { caller in
            let grant = try await caller.signUp()
            let other = try await caller.signIn()
            let keys = try await caller.send(.get, NativePath.keySet, headers: [:])
            let list = RevocationList(now: { [server] in server.readClock().seconds }) { after, wait in
                try await Self.page(caller, after, wait: wait)
            }
            let verifier = TokenVerifier(
                TokenRules(issuer: "http://localhost", audience: "api"),
                keys: .fixed(try JWKSet(Array(keys.body))),
                revocations: list,
                now: { [server] in server.readClock().seconds }
            )
            try await list.poll()
            #expect(await list.status == .current)
            let verified = try await verifier.verify(grant.accessToken)
            #expect(verified.session == grant.sessionID.description)
            #expect(verified.subject == grant.user.id)
            async let heard: Void = list.poll()
            let ended = try await caller.send(
                .delete,
                NativePath.sessions + "/\(grant.sessionID)",
                bearer: other.accessToken,
                headers: [:]
            )
            #expect(ended.status == 204)
            try await heard
            await #expect(throws: TokenVerificationError.sessionEnded) { try await verifier.verify(grant.accessToken) }
            #expect(try await verifier.verify(other.accessToken).session == other.sessionID.description)
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `the revocation feed has the sessions that another server on the same database ended`() async throws {
        var shared = try configuration()
        // A folder of SQLite's is one server's.
        if shared.database == nil { shared.database = try DatabaseEngine.postgres.make().postgres }
        let configuration = shared
        let other = ServerUnderTest()
        try await server.run(configuration) { one in
            let grant = try await one.signUp()
            let start = try await Self.page(one)
            try await other.run(configuration) { two in
                #expect(try await two.send(.get, NativePath.me, bearer: grant.accessToken, headers: [:]).status == 200)
                async let waiting = Self.page(one, start.cursor, wait: 20)
                let answer = try await two.present(NativePath.logout, grant.refreshToken)
                #expect(answer.status == 204)
                #expect(try await waiting.ended.map(\.sid) == [grant.sessionID.description])
            }
            let refused = try await one.send(.get, NativePath.me, bearer: grant.accessToken, headers: [:])
            #expect(refused.status == 401)
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted))
    func `a feed subscriber that moves to a server whose clock is behind misses no ended session`() async throws {
        var shared = try configuration()
        if shared.database == nil { shared.database = try DatabaseEngine.postgres.make().postgres }
        let configuration = shared
        let ahead = ServerUnderTest()
        try await server.run(configuration) { one in
            // Each differs from the database's clock by less than is tolerated.
            ahead.advance(by: .seconds(290))
            try await ahead.run(configuration) { two in
                let grant = try await one.signUp()
                let start = try await Self.page(two)
                #expect(try await one.present(NativePath.logout, grant.refreshToken).status == 204)
                _ = try await Self.page(one)
                let moved = try await Self.page(one, start.cursor)
                #expect(moved.ended.map(\.sid).contains(grant.sessionID.description))
            }
        }
    }
}
