// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// Outbox's own client: everything in an envelope, three callers that refresh, writes that wait.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `Outbox's own client` {
    private static let arguments = ["--contract", RunningServer.contract("outbox")]
    private static let account = ["email": "ann@example.com", "password": "correct horse"]

    private func refresh(_ server: RunningServer, _ token: String?) async throws -> RunningServer.Reply {
        try await server.send("POST", "/api/v1/auth/refresh", json: ["refresh_token": token ?? ""])
    }

    private func data(_ reply: RunningServer.Reply) throws -> [String: String] {
        try #require(reply.object["data"] as? [String: String])
    }

    @Test func `Outbox's client signs in, refreshes and sends a waiting item with tokens from the envelope`()
        async throws
    {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let login = try await server.send("POST", "/api/v1/auth/login", json: Self.account)
            #expect(login.status == 200)
            #expect(Set(login.object.keys) == ["data"])
            let first = try data(login)
            // Its model reads camel case, its description snake case: both are there.
            #expect(first["accessToken"] == first["access_token"])
            #expect(first["refreshToken"] == first["refresh_token"])
            let access = try #require(first["accessToken"])
            #expect(RunningServer.Reply.claim("exp", of: access) != nil)

            #expect(try await server.send("GET", "/api/v1/items", bearer: access).status == 200)
            #expect(try await server.askTooLate("/api/v1/items", access).status == 401)
            let old = try server.ended(access)
            let waiting = try await server.send("POST", "/api/v1/items", json: ["text": "offline"], bearer: old)
            #expect(waiting.status == 401)
            let second = try data(await refresh(server, first["refresh_token"]))
            #expect(second["refreshToken"] != first["refreshToken"])
            let token = second["accessToken"]
            let sent = try await server.send("POST", "/api/v1/items", json: ["text": "offline"], bearer: token)
            #expect(sent.status == 201)
        }
    }

    @Test func `three concurrent refreshes by Outbox's client get the same refresh token`() async throws {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let token = try data(await server.send("POST", "/api/v1/auth/login", json: Self.account))["refresh_token"]
            let answers = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<3 { group.addTask { try data(await refresh(server, token))["refreshToken"] } }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
        }
    }

    @Test func `the response to a revoked refresh token contains Outbox's own message`() async throws {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let token = try data(await server.send("POST", "/api/v1/auth/login", json: Self.account))["refresh_token"]
            let access = try data(await refresh(server, token))["access_token"]
            #expect(try await server.send("POST", "/v1/logout-all", bearer: access).status == 204)
            let dead = try await refresh(server, token)
            #expect(dead.status == 401)
            #expect(dead.text.contains("Refresh token revoked"))
            #expect(try await refresh(server, "nonsense").text.contains("Refresh token revoked"))
            let missing = try await server.send("POST", "/api/v1/auth/refresh", json: [:])
            #expect(missing.status == 400)
            #expect(!missing.text.contains("revoked"))
        }
    }
}
