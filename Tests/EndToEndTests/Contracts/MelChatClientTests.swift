// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// MelChat's own client: codes by mail, camel case, and no refresh token in the answer to a refresh.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `MelChat's own client` {
    private static let arguments = ["--contract", RunningServer.contract("melchat")]

    private func signIn(_ server: RunningServer, _ email: String = "ann@example.com") async throws
        -> RunningServer.Reply
    {
        let asked = try await server.send("POST", "/api/auth/login", json: ["email": email])
        #expect(asked.status == 200)
        #expect(asked.object["success"] as? Bool == true)
        let code = try server.code(for: email)
        return try await server.send("POST", "/api/auth/verify", json: ["email": email, "code": code])
    }

    private func refresh(_ server: RunningServer, _ token: String?) async throws -> RunningServer.Reply {
        try await server.send("POST", "/api/auth/refresh", json: ["refreshToken": token ?? ""])
    }

    @Test func `MelChat's client signs in with a code, calls the API and refreshes with one refresh token`()
        async throws
    {
        try await RunningServer.run(Self.arguments) { server in
            let grant = try await signIn(server)
            #expect(grant.status == 200)
            #expect(Set(grant.object.keys) == ["success", "accessToken", "refreshToken", "expiresIn", "user"])
            #expect(grant.object["success"] as? Bool == true)
            #expect(grant.object["expiresIn"] as? Int == 600)
            let user = try #require(grant.object["user"] as? [String: Any])
            #expect(Set(user.keys) == ["id", "username", "isNewUser"])
            #expect((user["id"] as? String).flatMap { UUID(uuidString: $0) } != nil)
            let access = try #require(grant.string("accessToken"))
            #expect(try await server.send("GET", "/api/messages", bearer: access).status == 200)

            let over = try await server.askTooLate("/api/messages", access)
            #expect(over.status == 401)
            #expect(over.object["success"] as? Bool == false)
            for _ in 0..<3 {
                let again = try await refresh(server, grant.string("refreshToken"))
                #expect(again.status == 200)
                #expect(Set(again.object.keys) == ["success", "accessToken", "expiresIn"])
                let call = try await server.send("GET", "/api/messages", bearer: again.string("accessToken"))
                #expect(call.status == 200)
            }
        }
    }

    @Test func `MelChat's access token expires after 30 days unless the operator sets a lifetime`() async throws {
        try await RunningServer.run(Self.arguments, accessTTL: nil) { server async throws in
            // An access token never outlives its session, which began a moment before the answer.
            let life = try #require(try await signIn(server).object["expiresIn"] as? Int)
            #expect((2_591_990...2_592_000).contains(life))
        }
    }

    @Test func `a MelChat logout ends only its own session`() async throws {
        try await RunningServer.run(Self.arguments, accessTTL: nil) { server in
            let here = try await signIn(server), there = try await signIn(server)
            let out = try await server.send(
                "POST",
                "/api/auth/logout",
                json: ["refreshToken": here.string("refreshToken") ?? ""]
            )
            #expect(out.status == 200)
            #expect(out.text == #"{"success":true,"message":"Logged out successfully"}"#)
            let dead = try await refresh(server, here.string("refreshToken"))
            #expect(dead.status == 401)
            #expect(dead.object["success"] as? Bool == false)
            #expect(dead.string("error") == "session_ended")
            #expect(try await server.send("GET", "/api/messages", bearer: here.string("accessToken")).status == 401)
            #expect(try await refresh(server, there.string("refreshToken")).status == 200)
        }
    }

    @Test func `a MelChat logout everywhere ends all sessions of one user and no session of another user`() async throws
    {
        try await RunningServer.run(Self.arguments, accessTTL: nil) { server in
            let here = try await signIn(server), there = try await signIn(server)
            let bob = try await signIn(server, "bob@example.com")
            #expect(try await server.send("POST", "/api/auth/logout-all").status == 401)
            let out = try await server.send("POST", "/api/auth/logout-all", bearer: here.string("accessToken"))
            #expect(out.status == 200)
            for grant in [here, there] {
                #expect(try await refresh(server, grant.string("refreshToken")).status == 401)
                let call = try await server.send("GET", "/api/messages", bearer: grant.string("accessToken"))
                #expect(call.status == 401)
            }
            #expect(try await refresh(server, bob.string("refreshToken")).status == 200)
        }
    }

    @Test func `a wrong code is refused, and a right one works once`() async throws {
        try await RunningServer.run(Self.arguments) { server in
            _ = try await server.send("POST", "/api/auth/login", json: ["email": "ann@example.com"])
            let code = try server.code(for: "ann@example.com")
            let wrong = code == "000000" ? "000001" : "000000"
            for (code, status) in [(wrong, 401), (code, 200), (code, 401)] {
                let reply = try await server.send(
                    "POST",
                    "/api/auth/verify",
                    json: ["email": "ann@example.com", "code": code]
                )
                #expect(reply.status == status)
                #expect(reply.object["success"] as? Bool == (status == 200))
            }
        }
    }
}
