// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetServer
import Testing

@testable import FreshetIdentity
@testable import freshet

/// OAuth libraries that no one here wrote, as their manuals use them, against `freshet serve`.
///
/// `Tests/Backends` has the programs; each ends with a line of JSON that says what it saw.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["FRESHET_BACKENDS"] != nil, "make test-backends"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct `Third-party OAuth clients` {
    private static let programs = ["authlib_client", "requests_oauthlib_client"]
    private static let account = ["email": "ann@example.com", "password": "correct horse"]
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Scripts/backends").standardized

    /// A client's report of the responses it received.
    private struct Report: Decodable {
        struct Step: Decodable {
            var step: String
            var ok: Bool
            var status: Int?
            var error: String?
            var rotated: Bool?
        }

        var client: String
        var ok: Bool
        var steps: [Step]
        var failure: String?
    }

    /// Lets a client use the tokens of a sign-in.
    private func play(_ program: String, _ server: RunningServer, _ tokens: [String: String]) async throws -> Report {
        let given = [
            "token_url": "\(server.address)/oauth/token", "revoke_url": "\(server.address)/oauth/revoke",
            "resource": "\(server.address)/v1/me", "client_id": "tests",
        ]
        let input = try JSONEncoder().encode(given.merging(tokens) { $1 })
        let ending = try await ChildProcess(
            ["start", program],
            program: Self.scripts,
            input: String(decoding: input, as: UTF8.self)
        ).wait()
        return try JSONDecoder().decode(Report.self, from: Data(ending.output.utf8))
    }

    /// Signs in as an app does whose client sends no intents: its sessions are those that OAuth libraries can go on with.
    private func signIn(_ server: RunningServer) async throws -> [String: String] {
        let login = try await server.send("POST", "/auth/login", json: Self.account)
        #expect(login.status == 200)
        return [
            "access_token": try #require(login.string("access")),
            "refresh_token": try #require(login.string("refresh")),
        ]
    }

    @Test(arguments: programs)
    func `a third-party OAuth client refreshes, calls and revokes, and then receives invalid_grant`(program: String)
        async throws
    {
        try await RunningServer.run(["--contract", RunningServer.contract("authservice")]) { server in
            try await server.signUp()
            let tokens = try await signIn(server)
            let report = try await play(program, server, tokens)
            #expect(report.failure == nil)
            #expect(report.ok)
            #expect(
                report.steps.map(\.step) == [
                    "automatic refresh", "call", "refresh", "call", "revoke", "refresh after revoking",
                ]
            )
            #expect(report.steps.map(\.ok) == Array(repeating: true, count: 6))
            #expect(report.steps.compactMap(\.rotated) == [true, true])
            #expect(report.steps.compactMap(\.status) == [200, 200, 200])
            #expect(report.steps.last?.error == "invalid_grant")

            // Revoked means over for everybody: for the app's own client, and for the newest access token.
            let refused = try await server.send("POST", "/auth/refresh", bearer: tokens["refresh_token"])
            #expect(refused.status == 401)
            #expect(try await server.send("GET", "/v1/me", bearer: tokens["access_token"]).status == 401)
            // A client that begins with it hears the same, and from the library's own error.
            let late = try await play(program, server, tokens)
            #expect(!late.ok)
            #expect(late.failure?.contains("invalid_grant") == true)
        }
    }

    @Test(arguments: programs)
    func `a session that is bound to intents refuses OAuth clients, and stays valid`(program: String) async throws {
        try await RunningServer.run([]) { server in
            let grant = try await server.send("POST", "/v1/signup", json: Self.account)
            let refresh = try #require(grant.string("refresh_token"))
            let access = try #require(grant.string("access_token"))
            let report = try await play(program, server, ["refresh_token": refresh, "access_token": access])
            #expect(!report.ok)
            #expect(report.failure?.contains("invalid_request") == true)

            let intent = ["refresh_token": refresh, "intent": "AAAAAAAAAAAAAAAAAAAAAA"]
            #expect(try await server.send("POST", "/v1/refresh", json: intent).status == 200)
        }
    }

    @Test(arguments: ["client_secret_basic", "client_secret_post"])
    func `a confidential OAuth client authenticates, refreshes, introspects and revokes`(method: String) async throws {
        let secret = "a secret: of the tests, 100%"
        try await RunningServer.run(
            [],
            prepare: { folder in
                let file = folder.appending(path: "clients.json")
                let hash = ClientSecretHash(of: secret).text
                try Data(#"{"clients":[{"id":"tests","kind":"confidential","secret":"\#(hash)"}]}"#.utf8).write(
                    to: file
                )
                return ["--oauth-clients", file.path]
            }
        ) { server in
            let given = [
                "server": server.address, "client_id": "tests", "client_secret": secret, "method": method,
                "email": "ann@example.com",
            ]
            let ending = try await ChildProcess(
                ["start", "authlib_confidential_client"],
                program: Self.scripts,
                input: String(decoding: try JSONEncoder().encode(given), as: UTF8.self)
            ).wait()
            let report = try JSONDecoder().decode(Report.self, from: Data(ending.output.utf8))
            #expect(report.failure == nil)
            #expect(report.steps.filter { !$0.ok }.map(\.step) == [])
            #expect(report.steps.count == 10)
        }
    }
}
