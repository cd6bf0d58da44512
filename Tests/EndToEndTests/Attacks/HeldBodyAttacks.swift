// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// Requests whose head arrives while the session is alive, and whose body arrives when it is not.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks with a held body` {
    private static let victim = "victim@example.com"

    private let apple = AppleForAttacks()

    /// The server, with Apple's keys.
    private func attack(_ name: String, _ body: (RunningServer) async throws -> Void) async throws {
        try await Attack.report(name) {
            try await RunningServer.run([], prepare: { try apple.serving(in: $0) }, body)
        }
    }

    private func signUp(_ server: RunningServer, _ email: String = victim) async throws -> RunningServer.Reply {
        let reply = try await server.send("POST", "/v1/signup", json: ["email": email, "password": "correct horse"])
        try #require(reply.status == 201, "\(reply.text)")
        return reply
    }

    private func signInByCode(_ server: RunningServer) async throws -> RunningServer.Reply {
        let asked = try await server.send("POST", "/v1/login/code", json: ["email": Self.victim])
        let code = try server.code(for: Self.victim)
        let attempt = try #require(asked.string("attempt"))
        let reply = try await server.send(
            "POST",
            "/v1/login/code/verify",
            json: ["attempt": attempt, "code": code]
        )
        try #require(reply.status == 200, "\(reply.text)")
        return reply
    }

    /// Sends a link's head with `token`, has `end` end the session, and sends the body.
    private func linkApple(
        _ server: RunningServer,
        with token: String,
        subject: String,
        after end: () async throws -> Void
    ) async throws -> Int {
        let body = try await apple.body(server, subject: subject)
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        return try await RawClient.connected(to: server.port) { conversation in
            var conversation = conversation
            try await conversation.sendHead("POST", "/v1/link/apple", bearer: token, body: text)
            try await end()
            try await conversation.send(text)
            return try await conversation.response().status
        }
    }

    /// The account that an Apple account signs in to.
    private func owner(_ server: RunningServer, subject: String) async throws -> String? {
        let reply = try await server.send("POST", "/v1/login/apple", json: apple.body(server, subject: subject))
        return (reply.object["user"] as? [String: Any])?["id"] as? String
    }

    @Test func `an Apple link whose body arrives after the address owner takes over the account is refused`()
        async throws
    {
        try await attack("takeover by a held link body, across the owner's proof of address") { server in
            let thief = try await signUp(server)
            let token = try #require(thief.string("access_token"))
            let status = try await linkApple(server, with: token, subject: "thief") {
                _ = try await signInByCode(server)
                try #require(try await server.send("GET", "/v1/me", bearer: token).status == 401)
            }
            try #require(status == 401)
            let victim = (thief.object["user"] as? [String: Any])?["id"] as? String
            try #require(try await owner(server, subject: "thief") != victim)
        }
    }

    @Test func `an Apple link whose body arrives after the user signs out everywhere is refused`() async throws {
        try await attack("a held link body with a copied token, across logout-all") { server in
            let owner = try await signUp(server)
            let token = try #require(owner.string("access_token"))
            let status = try await linkApple(server, with: token, subject: "thief") {
                let reply = try await server.send("POST", "/v1/logout-all", bearer: token)
                try #require(reply.status == 204)
            }
            try #require(status == 401)
            let account = (owner.object["user"] as? [String: Any])?["id"] as? String
            try #require(try await self.owner(server, subject: "thief") != account)
        }
    }

    @Test func `an Apple link whose body arrives after the user is disabled is refused`() async throws {
        try await attack("a held link body, across an operator's disabling of the account") { server in
            let user = try await signUp(server)
            let token = try #require(user.string("access_token"))
            let status = try await linkApple(server, with: token, subject: "later") {
                try await server.operate("users", "disable", Self.victim)
            }
            try #require(status == 401)
            try await server.operate("users", "enable", Self.victim)
            let account = (user.object["user"] as? [String: Any])?["id"] as? String
            try #require(try await owner(server, subject: "later") != account)
        }
    }

    @Test func `a session that an operator's command ended opens no socket and ends no other session`() async throws {
        try await attack("a token used at once after an operator's command ended its session") { server in
            let other = try await signUp(server)
            let own = try await server.send(
                "POST",
                "/v1/login/password",
                json: ["email": Self.victim, "password": "correct horse"]
            )
            let token = try #require(own.string("access_token"))
            try await server.operate("sessions", "end", try #require(own.string("session_id")))
            let handshake = try await RawClient.connected(to: server.port) { conversation in
                var conversation = conversation
                try await conversation.send(RawClient.socketHandshake(bearer: token))
                return try await conversation.response().status
            }
            try #require(handshake == 401)
            try #require(try await server.send("POST", "/v1/logout-all", bearer: token).status == 401)
            let alive = try #require(other.string("access_token"))
            try #require(try await server.send("GET", "/v1/me", bearer: alive).status == 200)
        }
    }

    @Test func `a password change whose body arrives after the session ends is refused`() async throws {
        try await attack("a held password body, across logout-all") { server in
            _ = try await signUp(server)
            let token = try #require(try await signInByCode(server).string("access_token"))
            let text = #"{"new_password":"thief's own horse"}"#
            let status = try await RawClient.connected(to: server.port) { conversation in
                var conversation = conversation
                try await conversation.sendHead("POST", "/v1/password", bearer: token, body: text)
                try #require(try await server.send("POST", "/v1/logout-all", bearer: token).status == 204)
                try await conversation.send(text)
                return try await conversation.response().status
            }
            try #require(status == 401)
            let reply = try await server.send(
                "POST",
                "/v1/login/password",
                json: ["email": Self.victim, "password": "thief's own horse"]
            )
            try #require(reply.status == 400)
        }
    }
}

extension RunningServer {
    /// Runs one of the tool's operator commands on this server's data.
    fileprivate func operate(_ arguments: String...) async throws {
        let tool = try ChildProcess(
            arguments + ["--data", folder.appending(path: "data").path],
            program: Self.program,
            environment: database
        )
        let ending = await tool.wait()
        try #require(ending.status == 0, "\(ending.output)")
    }
}
