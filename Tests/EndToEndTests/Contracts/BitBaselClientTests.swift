// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

/// BitBasel's own client: Sign in with Apple, and one refresh token for seven days.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `BitBasel's own client` {
    private static let grantKeys: Set = [
        "access_token", "refresh_token", "token_type", "user_id", "email", "has_profile",
        "accessToken", "refreshToken", "tokenType", "userId", "hasProfile",
    ]
    private static let dead = #"{"detail":"Invalid or expired refresh token"}"#

    private let apple = AppleIdentityTokens(audience: "com.example.bitbasel")

    /// Runs a server that trusts the key of this test as Apple's.
    private func run(accessTTL: String? = "10m", _ body: (RunningServer) async throws -> Void) async throws {
        try await RunningServer.run(
            ["--contract", RunningServer.contract("bitbasel")],
            accessTTL: accessTTL,
            prepare: apple.options,
            body
        )
    }

    private func signIn(_ server: RunningServer) async throws -> RunningServer.Reply {
        try await server.send(
            "POST",
            "/auth/apple",
            json: ["identity_token": try apple.token(email: "ann@example.com")]
        )
    }

    private func refresh(_ server: RunningServer, _ token: String?) async throws -> RunningServer.Reply {
        try await server.send("POST", "/auth/refresh", json: ["refresh_token": token ?? ""])
    }

    @Test func `BitBasel's client signs in with Apple, reads the feed and reuses one refresh token`() async throws {
        try await run { server in
            let grant = try await signIn(server)
            #expect(grant.status == 200)
            #expect(Set(grant.object.keys) == Self.grantKeys)
            #expect(grant.string("token_type") == "bearer")
            #expect(grant.object["user_id"] as? Int == 1)
            #expect(grant.string("email") == "ann@example.com")
            #expect(grant.object["has_profile"] as? Bool == false)
            let access = try #require(grant.string("access_token"))
            #expect(try await server.send("GET", "/posts/feed", bearer: access).status == 200)

            let over = try await server.askTooLate("/posts/feed", access)
            #expect(over.status == 401)
            #expect(over.string("detail")?.isEmpty == false)
            let again = try await refresh(server, grant.string("refresh_token"))
            #expect(Set(again.object.keys) == Self.grantKeys)
            #expect(again.string("refresh_token") == grant.string("refresh_token"))
            #expect(again.object["user_id"] as? Int == 1)
            #expect(again.string("email") == "ann@example.com")
            #expect(try await server.send("GET", "/posts/feed", bearer: again.string("access_token")).status == 200)
            // It never rotates, so the token may be used again at any time.
            #expect(try await refresh(server, grant.string("refresh_token")).status == 200)
            let last = try await signIn(server)
            #expect(last.object["user_id"] as? Int == 1, "\(last.status) \(last.text)")
        }
    }

    @Test func `the response to a rejected refresh token has exactly BitBasel's error body`() async throws {
        try await run { server in
            let token = try await signIn(server).string("refresh_token")
            #expect(try await server.send("POST", "/v1/logout", json: ["refresh_token": token ?? ""]).status == 204)
            for dead in [token, "nonsense", "frt_AAAA"] {
                let reply = try await refresh(server, dead)
                #expect(reply.status == 401)
                #expect(reply.text == Self.dead)
            }
            #expect(try await server.send("POST", "/auth/refresh", json: [:]).status == 422)
        }
    }

    @Test func `an Apple identity token for another app is refused`() async throws {
        try await run { server in
            let token = try apple.token(email: "ann@example.com", otherAudience: "com.example.other")
            let reply = try await server.send("POST", "/auth/apple", json: ["identity_token": token])
            #expect(reply.status == 401)
            #expect(reply.string("detail")?.isEmpty == false)
        }
    }

    @Test func `BitBasel's access token expires after 30 minutes unless the operator sets a lifetime`() async throws {
        try await run(accessTTL: nil) { server in
            let access = try await signIn(server).string("access_token")
            let end = try #require(RunningServer.Reply.claim("exp", of: access))
            let start = try #require(RunningServer.Reply.claim("iat", of: access))
            #expect(end - start == 1800)
        }
    }

    @Test func `a BitBasel user signs in with an emailed code, which works once`() async throws {
        try await run { server in
            #expect(try await server.send("POST", "/auth/code", json: ["email": "bob@example.com"]).status == 200)
            let code = try server.code(for: "bob@example.com")
            let grant = try await server.send(
                "POST",
                "/auth/code/verify",
                json: ["email": "bob@example.com", "code": code]
            )
            #expect(grant.status == 200)
            #expect(grant.string("email") == "bob@example.com")
            let wrong = try await server.send(
                "POST",
                "/auth/code/verify",
                json: ["email": "bob@example.com", "code": code]
            )
            #expect(wrong.status == 401)
        }
    }

    @Test func `a server without Apple settings rejects Sign in with Apple as not configured`() async throws {
        try await RunningServer.run(["--contract", RunningServer.contract("bitbasel")]) { server in
            let reply = try await signIn(server)
            #expect(reply.status == 501)
            #expect(reply.string("detail") == "Sign in with Apple is not configured here")
        }
    }
}
