// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// AuthService's own client: a pair of tokens, and a refresh without a body.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `AuthService's own client` {
    private static let arguments = ["--contract", RunningServer.contract("authservice")]
    private static let account = ["email": "ann@example.com", "password": "correct horse"]

    private func refresh(_ server: RunningServer, _ token: String?) async throws -> RunningServer.Reply {
        try await server.send("POST", "/auth/refresh", bearer: token)
    }

    @Test func `AuthService's client signs in, refreshes after its access token expired, and calls again`() async throws
    {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let start = Date()
            let login = try await server.send("POST", "/auth/login", json: Self.account)
            #expect(login.status == 200)
            #expect(Set(login.object.keys) == ["access", "refresh"])
            let access = try #require(login.string("access"))
            let life = try #require(RunningServer.Reply.claim("exp", of: access))
            #expect(life >= start.timeIntervalSince1970 + 599 && life < Date().timeIntervalSince1970 + 601)
            #expect(try await server.send("GET", "/dashboard", bearer: access).status == 200)

            let over = try await server.askTooLate("/dashboard", access)
            #expect(over.status == 401)
            #expect(over.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
            let pair = try await refresh(server, login.string("refresh"))
            #expect(pair.status == 200)
            #expect(Set(pair.object.keys) == ["access", "refresh"])
            #expect(pair.string("access") != access)
            #expect(pair.string("refresh") != login.string("refresh"))
            #expect(try await server.send("GET", "/dashboard", bearer: pair.string("access")).status == 200)
        }
    }

    @Test func `a retried AuthService refresh returns the same refresh token, and a late duplicate gets 409`()
        async throws
    {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let first = try await server.send("POST", "/auth/login", json: Self.account).string("refresh")
            let second = try await refresh(server, first).string("refresh")
            #expect(try await refresh(server, first).string("refresh") == second)
            let third = try await refresh(server, second)
            #expect(third.status == 200)
            // Any other status than 401 is a fault to this client: a late duplicate costs nobody the session.
            #expect(try await refresh(server, first).status == 409)
            #expect(try await refresh(server, third.string("refresh")).status == 200)
        }
    }

    @Test func `an AuthService refresh gets 401 only for an ended session or an invalid refresh token`() async throws {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let wrong = try await server.send(
                "POST",
                "/auth/login",
                json: ["email": "ann@example.com", "password": "x"]
            )
            #expect(wrong.status == 401)
            #expect(wrong.string("error") == "invalid_credentials")
            let token = try await server.send("POST", "/auth/login", json: Self.account).string("refresh")
            #expect(try await refresh(server, nil).status == 400)
            #expect(try await server.send("GET", "/auth/refresh", bearer: token).status == 405)
            #expect(try await refresh(server, token).status == 200)

            let out = try await server.send("POST", "/v1/logout", json: ["refresh_token": token ?? ""])
            #expect(out.status == 204)
            let dead = try await refresh(server, token)
            #expect(dead.status == 401)
            #expect(dead.string("error") == "session_ended")
            #expect(try await refresh(server, "nonsense").status == 401)
        }
    }
}
