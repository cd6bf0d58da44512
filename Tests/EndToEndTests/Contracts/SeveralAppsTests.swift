// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import Testing

@testable import freshet

/// One server for several apps.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `Several apps on one server` {
    private static let apps = ["authservice", "bitbasel", "melchat", "creatist", "outbox"]
    private static let account = ["email": "ann@example.com", "password": "correct horse"]

    private func options(_ apps: [String]) -> [String] {
        apps.flatMap { ["--contract", "\(RunningServer.contract($0))=/\($0)"] }
    }

    @Test func `one server serves several contracts under separate prefixes, each with its own sessions`() async throws
    {
        try await RunningServer.run(options(Self.apps)) { server in
            try await server.signUp()
            let creatist = try await server.send("POST", "/creatist/auth/login", json: Self.account)
            let authservice = try await server.send("POST", "/authservice/auth/login", json: Self.account)
            let outbox = try await server.send("POST", "/outbox/api/v1/auth/login", json: Self.account)
            for login in [creatist, authservice, outbox] { #expect(login.status == 200) }
            #expect(try await server.send("POST", "/auth/login", json: Self.account).status == 404)

            // One app's token before another's door: no answer that a client takes for the end.
            let token = creatist.string("refresh_token") ?? ""
            #expect(try await server.send("POST", "/authservice/auth/refresh", bearer: token).status == 400)
            let basel = try await server.send("POST", "/bitbasel/auth/refresh", json: ["refresh_token": token])
            #expect(basel.status == 422)
            let home = try await server.send("POST", "/creatist/auth/refresh", json: ["refresh_token": token])
            #expect(home.status == 200)
        }
    }

    @Test func `one server serves a contract at the root, another under a prefix, and the OAuth endpoints`()
        async throws
    {
        let arguments = ["--contract", RunningServer.contract("creatist")] + options(["melchat"])
        try await RunningServer.run(arguments) { server in
            try await server.signUp()
            let login = try await server.send("POST", "/auth/login", json: Self.account)
            #expect(login.status == 200)
            #expect(try await server.send("GET", "/melchat/api/messages").status == 401)
            let wrong = try await server.send("POST", "/oauth/token", json: ["grant_type": "refresh_token"])
            #expect(wrong.string("error") == "invalid_request")
            #expect(wrong.headers["pragma"] == "no-cache")
        }
    }

    @Test(
        arguments: [
            (["authservice", "creatist"], "POST /auth/login"),
            (["nothing"], "neither a preset's name nor a readable file"),
            (["freshet"], "no `server` section"),
        ]
    )
    func `a conflicting, unknown or unservable contract stops the tool with an error message`(
        apps: [String],
        sentence: String
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-dialect-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let options = apps.flatMap { ["--contract", RunningServer.contract($0)] }
        let ending = try await ChildProcess(
            ["serve", "--port", "0", "--data", folder.appending(path: "data").path] + options,
            program: RunningServer.program,
            log: try FileHandle(forWritingTo: log)
        ).wait()
        #expect(ending.status == 64)
        #expect(try String(contentsOf: log, encoding: .utf8).contains(sentence))
    }

    @Test func `the server serves every preset with a server section by its name`() async throws {
        let names = try Contract.presets.filter { try Contract.named($0).document.server != nil }
        #expect(Set(names).isSuperset(of: Self.apps))
        let list = names.map { "\($0)=/\($0)" }.joined(separator: ",")
        try await RunningServer.run([], environment: ["FRESHET_DIALECT": list]) { server in
            for name in Self.apps {
                let path = try #require(try Contract.named(name).document.server?.resources.first?.path)
                let method = try #require(try Contract.named(name).document.server?.resources.first?.method)
                #expect(try await server.send(method, "/\(name)\(path)").status == 401)
            }
        }
    }

    @Test func `a settings file can name several contracts`() async throws {
        try await RunningServer.run(
            [],
            prepare: { folder in
                let file = folder.appending(path: "settings.json")
                let contracts = Self.apps.map { "\(RunningServer.contract($0))=/\($0)" }
                try JSONSerialization.data(withJSONObject: ["contract": contracts]).write(to: file)
                return ["--config", file.path]
            }
        ) { server async throws in
            for path in [
                "/authservice/dashboard", "/bitbasel/posts/feed", "/melchat/api/messages", "/creatist/profile",
            ] {
                #expect(try await server.send("GET", path).status == 401)
            }
        }
    }
}
