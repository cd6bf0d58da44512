// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The native contract over HTTP` {
    let server = ServerUnderTest()

    @Test func `sign-up, login, refresh, confirm, fork and logout return the responses of the native contract`()
        async throws
    {
        try await server.run { caller in
            let first = try await caller.signUp(device: Device(name: "Ann's phone", platform: "iOS"))
            #expect(first.tokenType == "Bearer")
            #expect(first.expiresIn == 600)
            #expect(first.refreshExpiresIn == 30 * 86_400)
            #expect(first.user.email == "ann@example.com")

            let second = try await caller.signIn()
            #expect(second.sessionID != first.sessionID)
            let me: Me = try await caller.send(.get, NativePath.me, bearer: second.accessToken).json()
            #expect(me == Me(user: second.user, sessionID: second.sessionID))

            let intent = Intent.random()
            let refreshed: SessionTokens = try await caller.refresh(second.refreshToken, intent).json()
            let again: SessionTokens = try await caller.refresh(second.refreshToken, intent).json()
            #expect(again.refreshToken == refreshed.refreshToken)
            #expect(again.accessToken != refreshed.accessToken)
            #expect(refreshed.refreshToken != second.refreshToken)
            #expect(refreshed.sessionID == second.sessionID)

            let confirmed = try await caller.present(NativePath.confirm, refreshed.refreshToken)
            #expect(confirmed.status == 204)
            #expect(try await caller.refresh(second.refreshToken, intent).error == "409 superseded")
            #expect(try await caller.refresh(second.refreshToken, .random()).error == "409 superseded")
            let list: SessionList = try await caller.send(.get, NativePath.sessions, bearer: first.accessToken).json()
            #expect(Set(list.sessions.map(\.id)) == [first.sessionID, second.sessionID])
            #expect(list.sessions.first { $0.current }?.device == Device(name: "Ann's phone", platform: "iOS"))

            let owner = try await caller.refresh(refreshed.refreshToken, .random())
            #expect(owner.status == 200)
            #expect(try await caller.refresh(refreshed.refreshToken, .random()).error == "400 invalid_grant fork")
            let rest: SessionList = try await caller.send(.get, NativePath.sessions, bearer: first.accessToken).json()
            #expect(rest.sessions.map(\.id) == [first.sessionID])

            #expect(try await caller.present(NativePath.logout, first.refreshToken).status == 204)
            #expect(try await caller.present(NativePath.logout, first.refreshToken).status == 204)
            #expect(try await caller.refresh(first.refreshToken, .random()).error == "400 invalid_grant logout")
            #expect(try await caller.send(.get, NativePath.me, bearer: first.accessToken).error == "401 invalid_token")
        }
    }

    @Test func `a hundred concurrent refreshes with one intent get one successor`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let request = RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text)
            // Behind the routes: the test's client has eight connections, and gives up on a task that waits long for one.
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await caller.parts.sessions.refresh(request).refreshToken }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            let again: SessionTokens = try await caller.post(NativePath.refresh, request).json()
            #expect(tokens == [again.refreshToken])
        }
    }

    @Test func `concurrent refreshes with different intents get one successor, end the session and log the fork`()
        async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let errors = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await caller.refresh(grant.refreshToken, .random()).error }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(errors == ["200": 1, "400 invalid_grant fork": 19])
            let ends = caller.log.lines.filter { $0["message"] == "session ended" }
            #expect(ends.map { $0["reason"] } == ["fork"])
        }
    }

    @Test func `a report ends the session only if its token is superseded`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            #expect(try await caller.present(NativePath.report, grant.refreshToken).status == 204)
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            _ = try await caller.refresh(next.refreshToken, .random())
            let report = try await caller.present(NativePath.report, grant.refreshToken)
            #expect(report.error == "400 invalid_grant stale_holder")
        }
    }

    @Test func `logout everywhere ends every session of the user and no other user's`() async throws {
        try await server.run { caller in
            let ann = [try await caller.signUp(), try await caller.signIn()]
            let bob = try await caller.signUp("bob@example.com")

            #expect(try await caller.send(.post, NativePath.logoutAll, bearer: ann[0].accessToken).status == 204)
            for grant in ann {
                let answer = try await caller.refresh(grant.refreshToken, .random())
                #expect(answer.error == "400 invalid_grant logout_all")
            }
            #expect(try await caller.refresh(bob.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a user ends one of their sessions, not another user's`() async throws {
        try await server.run { caller in
            let ann = try await caller.signUp()
            let other = try await caller.signIn()
            let bob = try await caller.signUp("bob@example.com")

            let foreign = "\(NativePath.sessions)/\(bob.sessionID)"
            #expect(try await caller.send(.delete, foreign, bearer: ann.accessToken).error == "404 not_found")
            let own = "\(NativePath.sessions)/\(other.sessionID)"
            #expect(try await caller.send(.delete, own, bearer: ann.accessToken).status == 204)
            #expect(try await caller.send(.delete, own, bearer: ann.accessToken).error == "404 not_found")
            #expect(
                try await caller.refresh(other.refreshToken, .random()).error == "400 invalid_grant revoked_by_user"
            )
            #expect(try await caller.refresh(bob.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a session ends at its idle timeout and at its absolute timeout`() async throws {
        try await server.run { caller in
            let idle = try await caller.signUp()
            server.advance(by: .seconds(30 * 86_400))
            #expect(try await caller.refresh(idle.refreshToken, .random()).error == "400 invalid_grant idle_timeout")

            var token = try await caller.signIn().refreshToken
            for _ in 0..<6 {
                server.advance(by: .seconds(29 * 86_400))
                token = try await caller.refresh(token, .random()).json(SessionTokens.self).refreshToken
            }
            server.advance(by: .seconds(7 * 86_400))
            #expect(try await caller.refresh(token, .random()).error == "400 invalid_grant absolute_timeout")
        }
    }

    @Test func `an access token is refused once it has expired`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 200)
            server.advance(by: .seconds(601))
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).error == "401 invalid_token")
        }
    }

    @Test func `sessions, keys and session ends persist over restarts`() async throws {
        let grants = try await withGrants(2)
        try await server.run { caller in
            let me = try await caller.send(.get, NativePath.me, bearer: grants[0].accessToken)
            #expect(me.status == 200)
            let logout = try await caller.present(NativePath.logout, grants[1].refreshToken)
            #expect(logout.status == 204)
        }
        try await server.run { caller in
            let ended = try await caller.send(.get, NativePath.me, bearer: grants[1].accessToken)
            #expect(ended.status == 401)
            let alive = try await caller.refresh(grants[0].refreshToken, .random())
            #expect(alive.status == 200)
        }
    }

    @Test func `a shorter access token lifetime does not make a token of an ended session valid again`() async throws {
        var long = server.configuration
        long.lifetimes.access = .seconds(3600)
        let (tokens, token) = AsyncStream.makeStream(of: String.self)
        try await server.run(long) { caller in
            let grant = try await caller.signUp()
            token.yield(grant.accessToken)
            let logout = try await caller.present(NativePath.logout, grant.refreshToken)
            #expect(logout.status == 204)
        }
        let accessToken = try #require(await tokens.first { _ in true })
        server.advance(by: .seconds(700))
        try await server.run { caller in
            let me = try await caller.send(.get, NativePath.me, bearer: accessToken)
            #expect(me.error == "401 invalid_token")
        }
    }

    @Test func `a HEAD request gets the status and fields of the GET response, without a body`() async throws {
        try await server.run { caller in
            for path in [NativePath.live, NativePath.ready, NativePath.keySet, NativePath.me, "/v1/nothing"] {
                let get = try await caller.send(.get, path)
                let head = try await caller.send(.head, path)
                #expect(head.status == get.status)
                #expect(head.body.isEmpty)
                for name in [HTTPField.Name.contentType, .cacheControl, .wwwAuthenticate] {
                    #expect(head.headers[name] == get.headers[name])
                }
            }
            let refresh = try await caller.send(.head, NativePath.refresh)
            #expect(refresh.status == 405)
            #expect(refresh.headers[.allow] == "POST")
        }
    }

    private func withGrants(_ count: Int) async throws -> [SessionTokens] {
        let grants = AsyncStream<SessionTokens>.makeStream()
        try await server.run { caller in
            grants.continuation.yield(try await caller.signUp())
            for _ in 1..<count { grants.continuation.yield(try await caller.signIn()) }
        }
        grants.continuation.finish()
        return await grants.stream.reduce(into: []) { $0.append($1) }
    }
}
