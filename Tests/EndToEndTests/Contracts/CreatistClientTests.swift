// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// Creatist's own client: it counts `expires_in` and refreshes ahead.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `Creatist's own client` {
    private static let arguments = ["--contract", RunningServer.contract("creatist")]
    private static let account = ["email": "ann@example.com", "password": "correct horse"]

    private func refresh(_ server: RunningServer, _ token: String?) async throws -> RunningServer.Reply {
        try await server.send("POST", "/auth/refresh", json: ["refresh_token": token ?? ""])
    }

    @Test func `Creatist's client signs in, and refreshes before and after its access token expires`() async throws {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let login = try await server.send("POST", "/auth/login", json: Self.account)
            #expect(login.status == 200)
            #expect(Set(login.object.keys) == ["access_token", "refresh_token", "expires_in"])
            #expect(login.object["expires_in"] as? Int == 600)
            // The monitor: while the token is good.
            let early = try await refresh(server, login.string("refresh_token"))
            #expect(early.status == 200)
            #expect(Set(early.object.keys) == ["access_token", "refresh_token", "expires_in"])
            let access = try #require(early.string("access_token"))
            let profile = try await server.send("GET", "/profile", bearer: access)
            #expect(profile.string("email") == "ann@example.com")
            // A request that came too late.
            #expect(try await server.askTooLate("/profile", access).status == 401)
            let late = try await refresh(server, early.string("refresh_token"))
            #expect(try await server.send("GET", "/profile", bearer: late.string("access_token")).status == 200)
        }
    }

    @Test func `Creatist's access token expires after 15 minutes unless the operator sets a lifetime`() async throws {
        try await RunningServer.run(Self.arguments, accessTTL: nil) { server in
            try await server.signUp()
            let login = try await server.send("POST", "/auth/login", json: Self.account)
            #expect(login.object["expires_in"] as? Int == 900)
        }
    }

    @Test func `concurrent refreshes by Creatist's client get the same refresh token`() async throws {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let token = try await server.send("POST", "/auth/login", json: Self.account).string("refresh_token")
            let answers = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 { group.addTask { try await refresh(server, token).string("refresh_token") } }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
            let next = try #require(answers.first ?? nil)
            #expect(try await refresh(server, next).status == 200)
        }
    }

    @Test func `a sign-out ends one Creatist session, and the user's other session stays active`() async throws {
        try await RunningServer.run(Self.arguments) { server in
            try await server.signUp()
            let phone = try await server.send("POST", "/auth/login", json: Self.account)
            let pad = try await server.send("POST", "/auth/login", json: Self.account)
            let token = phone.string("refresh_token") ?? ""
            #expect(try await server.send("POST", "/v1/logout", json: ["refresh_token": token]).status == 204)
            let dead = try await refresh(server, phone.string("refresh_token"))
            #expect(dead.status == 401)
            #expect(dead.string("error") == "session_ended")
            #expect(try await refresh(server, pad.string("refresh_token")).status == 200)
        }
    }
}
