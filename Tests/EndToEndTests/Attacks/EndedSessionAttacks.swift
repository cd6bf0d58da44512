// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer
@testable import freshet

/// Attempts to use a session that has ended.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks with ended sessions` {
    private static let secret = "a secret of the API"

    /// The address of one server, and the database that others may share.
    private struct Target: Sendable {
        let server: RunningServer

        var data: [String] { ["--data", server.folder.appending(path: "data").path] }

        func signIn(path: String = "/v1/login/password") async throws -> (access: String, refresh: String, id: String) {
            let account = ["email": "ann@example.com", "password": "correct horse"]
            let reply = try await server.send("POST", path, json: account)
            let access = try #require(reply.string("access_token"), "\(reply.text)")
            let refresh = try #require(reply.string("refresh_token"))
            return (access, refresh, try #require(reply.string("session_id")))
        }

        /// Runs an operator's command beside the server.
        func tool(_ arguments: [String]) async throws {
            let command = try ChildProcess(
                arguments + data,
                program: RunningServer.program,
                environment: server.database,
                log: FileHandle.standardError
            )
            try #require(await command.wait().status == 0)
        }

        /// Asks for the endings after a cursor.
        func ended(_ cursor: String?, wait: Int) async throws -> RunningServer.Reply {
            let basic = "Basic " + Data("api:\(secret)".utf8).base64EncodedString()
            let path = "/v1/ended?wait=\(wait)" + (cursor.map { "&after=\($0)" } ?? "")
            return try await server.send("GET", path, headers: ["Authorization": basic])
        }

        /// Follows the feed until it tells of a session; returns the reason.
        func follow(until id: String) async throws -> String {
            var cursor: String?
            while true {
                let page = try await ended(cursor, wait: 20)
                try #require(page.status == 200, "\(page.text)")
                cursor = page.string("cursor")
                let entries = page.object["ended"] as? [[String: Any]] ?? []
                if let entry = entries.first(where: { $0["sid"] as? String == id }) {
                    return try #require(entry["reason"] as? String)
                }
            }
        }

        /// Opens a socket, has the session ended, and returns what came over the socket until the server closed it.
        func socket(_ token: String, whileEnding end: () async throws -> Void) async throws -> String {
            try await RawClient.connected(to: server.port) { conversation in
                var conversation = conversation
                try await conversation.send(RawClient.socketHandshake(bearer: token))
                try #require(try await conversation.response().status == 101)
                // A socket whose session ends while it opens is told that its token is invalid.
                try await conversation.wait(for: "ready")
                try await end()
                return try await conversation.readToEnd()
            }
        }
    }

    /// Runs an attack on a server with a client that may follow the feed.
    private func attack(_ name: String, _ body: (Target) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "freshet-clients-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let hash = ClientSecretHash(of: Self.secret).text
        try Data(#"{"clients":[{"id":"api","kind":"confidential","secret":"\#(hash)"}]}"#.utf8).write(to: file)
        try await Attack.run(name, serving: ["--oauth-clients", file.path, "--issuer", "http://localhost"]) { server in
            try await server.signUp()
            try await body(Target(server: server))
        }
    }

    @Test(arguments: ["sessions end", "users disable"])
    func `a WebSocket is closed when its session ends while a client reads the feed of ended sessions`(command: String)
        async throws
    {
        try await attack("a socket survives `\(command)` while a follower reads the feed") { target in
            for _ in 1...3 {
                let session = try await target.signIn()
                async let told = target.follow(until: session.id)
                let isDisabling = command == "users disable"
                let frames = try await target.socket(session.access) {
                    let name = isDisabling ? "ann@example.com" : session.id
                    try await target.tool(command.split(separator: " ").map(String.init) + [name])
                }
                let reason = isDisabling ? "user_disabled" : "revoked_by_operator"
                try #require(frames.contains(reason), "\(frames)")
                try #require(try await told == reason)
                let answer = try await target.server.send("GET", "/v1/me", bearer: session.access)
                try #require(answer.status == 401)
                if isDisabling { try await target.tool(["users", "enable", "ann@example.com"]) }
            }
        }
    }

    @Test func `an access token with an equivalent ECDSA signature is refused after its session ends`() async throws {
        try await attack("a token with s replaced by n - s survives a logout") { target in
            let session = try await target.signIn()
            let twin = try Self.twin(of: session.access)
            try #require(twin != session.access)
            for text in [session.access, twin] {
                try #require(try await target.server.send("GET", "/v1/me", bearer: text).status == 200)
            }
            let logout = try await target.server.send("POST", "/v1/logout", json: ["refresh_token": session.refresh])
            try #require(logout.status == 204)
            for text in [session.access, twin] {
                try #require(try await target.server.send("GET", "/v1/me", bearer: text).status == 401)
            }
        }
    }

    @Test func `an accepted access token is refused once its signature is removed or replaced`()
        async throws
    {
        try await attack("a token without its signature is accepted from the cache") { target in
            let session = try await target.signIn()
            try #require(try await target.server.send("GET", "/v1/me", bearer: session.access).status == 200)
            let signed = session.access.split(separator: ".").dropLast().joined(separator: ".")
            for signature in ["", Base64URL.encode([UInt8](repeating: 1, count: 64))] {
                let answer = try await target.server.send("GET", "/v1/me", bearer: "\(signed).\(signature)")
                try #require(answer.status == 401)
            }
        }
    }

    @Test func `a session that ended for an unknown reason is refused, and the reason is reported`() async throws {
        try await attack("a session outlives an ending that a newer server wrote") { target in
            let session = try await target.signIn()
            let id = try #require(SessionID(session.id))
            let database = try target.server.database["FRESHET_DATABASE"].map { try PostgresConfiguration($0) }
            let adminService = try AdminService(in: target.server.folder.appending(path: "data"), database: database)
            defer { try? adminService.close() }
            async let told = target.follow(until: session.id)
            let frames = try await target.socket(session.access) {
                try await adminService.database.durably { [now = adminService.clock()] in
                    let sql = "UPDATE sessions SET ended_at = ?, reason = 'newer_reason' WHERE id = ?"
                    _ = try $0.execute(sql, [now, id])
                }
            }
            try #require(frames.contains("newer_reason"), "\(frames)")
            try #require(try await told == "newer_reason")
            try #require(try await target.server.send("GET", "/v1/me", bearer: session.access).status == 401)
            let body = ["refresh_token": session.refresh, "intent": Intent.random().text]
            let answer = try await target.server.send("POST", "/v1/refresh", json: body)
            try #require(answer.status == 400 && answer.string("reason") == "newer_reason")
            try await target.tool(["sessions", "list", "--user", "ann@example.com"])
            try await target.tool(["sessions", "show", session.id])
        }
    }

    /// The other text of a token's signature: (r, n - s).
    private static func twin(of token: String) throws -> String {
        let parts = token.split(separator: ".")
        let signature = try #require(Base64URL.decode(parts[2]))
        let order = try #require(Base64URL.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE"))
        var other = Array(signature[32...])
        var borrow = 0
        for index in (0..<32).reversed() {
            let value = Int(order[index]) - Int(other[index]) - borrow
            borrow = value < 0 ? 1 : 0
            other[index] = UInt8(value + borrow * 256)
        }
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature[..<32] + other))"
    }
}
