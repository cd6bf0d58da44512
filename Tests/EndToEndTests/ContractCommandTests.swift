// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@testable import freshet

/// Contracts on the command line, as a person and a script see them.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `The tool's contracts` {
    /// A backend of Freshet's paths, described without its confirmed protocol.
    private static let plain = """
        {
          "contract": 1, "name": "plain",
          "variables": {
            "base": { "about": "The prefix of all paths." },
            "intent_text": { "about": "The server wants one.", "default": "AAAAAAAAAAAAAAAAAAAAAA" }
          },
          "secrets": { "key": { "about": "An app key." } },
          "endpoints": {
            "login.password": { "path": "/$base/login/password", "json": { "email": "$email", "password": "$password" } },
            "login.other": { "path": "/$base/login/password", "json": { "email": "$username", "password": "$code" } },
            "refresh": {
              "path": "/$base/refresh", "headers": { "X-Key": "$key" },
              "json": { "refresh_token": "$refresh_token", "intent": "$intent_text" }
            },
            "logout": { "path": "/$base/logout", "json": { "refresh_token": "$refresh_token" } },
            "me": { "method": "GET", "path": "/$base/me", "attach": true }
          },
          "reply": {
            "access": "/access_token", "refresh": "/refresh_token",
            "expiry": [{ "in": "/expires_in", "unit": "s" }, { "jwt": "exp" }]
          },
          "rotation": "always",
          "classify": [
            { "on": ["refresh", "logout"], "status": 400, "if": { "at": "/error", "equals": "invalid_grant" },
              "outcome": "sessionEnded" }
          ],
          "errors": { "code": "/error", "message": "/error_description" }
        }
        """

    private static let password = "correct horse"

    private func signUp(_ world: TestEnvironment, _ email: String) async throws {
        let server = try world.address.absoluteString
        let arguments = ["login", "--server", server, "--email", email, "--password-stdin", "--sign-up"]
        #expect(try await world.tool(arguments + ["--profile", "maker"], input: Self.password + "\n").status == 0)
    }

    @Test func `the tool lists, shows and explains preset contracts, as text and as JSON`() async throws {
        try await TestEnvironment.live { world in
            let list = try await world.tool(["contract", "list"])
            #expect(list.status == 0)
            #expect(list.output.split(separator: "\n").count == Contract.presets.count + 1)
            for name in Contract.presets { #expect(list.output.contains("\(name) ")) }
            let names = try #require(
                JSONSerialization.jsonObject(
                    with: Data(try await world.tool(["contract", "list", "--json"]).output.utf8)
                ) as? [[String: Any]]
            )
            #expect(names.compactMap { $0["name"] as? String } == Contract.presets)

            let shown = try await world.tool(["contract", "show", "bitbasel"])
            #expect(shown.status == 0)
            #expect(try Contract(json: Data(shown.output.utf8)) == Contract.named("bitbasel"))
            let line = try await world.tool(["contract", "show", "bitbasel", "--json"])
            #expect(line.output.split(separator: "\n").count == 1)
            #expect(try Contract(json: Data(line.output.utf8)) == Contract.named("bitbasel"))

            let explained = try await world.tool(["contract", "explain", "bitbasel"])
            #expect(explained.status == 0)
            #expect(explained.output.contains("signs the user out"))
            let sections = try await world.tool(["contract", "explain", "bitbasel", "--json"]).object?["sections"]
            #expect(try #require(sections as? [[String: Any]]).count > 5)
        }
    }

    @Test func `contracts with contradictions get findings with location and remedy`() async throws {
        try await TestEnvironment.live { world in
            let bad = Self.plain
                .replacing(#"{ "jwt": "exp" }"#, with: #"{ "assume": 300 }"#)
                .replacing(#""outcome": "sessionEnded" }"#, with: #""outcome": "sessionEnded" }, \#(Self.idleRule)"#)
                .replacing(#""rotation": "always","#, with: #""rotation": "always", \#(Self.strangePolicy)"#)
            let file = try world.file("bad.json", bad)
            let ending = try await world.tool(["contract", "lint", file])
            #expect(ending.status == 7)
            for path in ["$.storage.synchronizable: error", "$.policy.refreshBefore: error", "$.classify[1]: warning"] {
                let line = ending.output.split(separator: "\n").first { $0.hasPrefix("\(file): \(path): ") }
                // A problem and a remedy, a sentence each.
                #expect(line?.split(separator: ". ").count ?? 0 >= 2, "\(path) in \(ending.output)")
            }
            let report = try #require(try await world.tool(["contract", "lint", file, "--json"]).object)
            let findings = try #require(report["findings"] as? [[String: String]])
            for path in ["$.storage.synchronizable", "$.policy.refreshBefore", "$.classify[1]"] {
                #expect(findings.contains { $0["path"] == path && $0["remedy"]?.isEmpty == false }, "\(path)")
            }

            let warned = try world.file("warned.json", Self.plain.replacing(#"{ "jwt": "exp" }"#, with: Self.twice))
            #expect(try await world.tool(["contract", "lint", warned]).status == 0)
            #expect(try await world.tool(["contract", "lint", warned, "--strict"]).status == 7)
            let sound = try await world.tool(["contract", "lint", try world.file("good.json", Self.plain), "freshet"])
            #expect(sound.status == 0, "\(sound.output)")
        }
    }

    /// The one before it takes all that it could.
    private static let idleRule = #"""
        { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded" }
        """#
    private static let strangePolicy = #""policy": { "refreshBefore": 600 }, "storage": { "synchronizable": true },"#
    private static let twice = #"{ "jwt": "exp" }, { "jwt": "exp" }"#

    @Test func `contract lint reports every mistake of an invalid contract with its location`() async throws {
        try await TestEnvironment.live { world in
            let text = Self.plain.replacing(#""rotation": "always""#, with: #""rotation": "sometimes", "rotaton": 1"#)
                .replacing(#""X-Key": "$key""#, with: #""X-Key": "$nobody""#)
                .replacing(#""status": 400"#, with: #""status": "5xx""#)
            let file = try world.file("broken.json", text)
            let ending = try await world.tool(["contract", "lint", file])
            #expect(ending.status == 7)
            for path in ["$.rotation", "$.rotaton", "$.endpoints.refresh.headers", "$.classify[0].status"] {
                #expect(ending.output.contains("\(file): \(path)"), "\(path) in \(ending.output)")
            }
            #expect(try await world.tool(["contract", "lint", try world.file("text.json", "no JSON")]).status == 7)
        }
    }

    @Test func `contract and login commands report bad input with an exit code and a message, also as JSON`()
        async throws
    {
        try await TestEnvironment.live { world in
            let broken = try world.file("broken.json", "{}")
            let good = try world.file("good.json", Self.plain)
            let server = try world.address.absoluteString
            let test = ["contract", "test", good, "--base-url", server, "--set", "base=v1"]
            let cases: [([String], Int32)] = [
                (["contract", "nothing"], 64), (["contract", "show"], 64), (["contract", "show", "nothing"], 64),
                (["contract", "show", broken], 7), (["contract", "explain", "nothing"], 64),
                (["contract", "explain", broken], 7), (["contract", "lint"], 64),
                (["contract", "lint", "/nowhere"], 64),
                (["contract", "test", "freshet"], 64), (["contract", "test", broken, "--base-url", server], 7),
                (["contract", "test", "freshet", "--base-url", "nowhere"], 64),
                (["contract", "test", "freshet", "--base-url", "http://api.example.com", "--sign-in", "x"], 64),
                (["contract", "test", good, "--base-url", server, "--email", "a"], 64),
                (test, 64), (test + ["--set", "nothing=1"], 64), (test + ["--set", "base"], 64),
                (test + ["--set", "key=@/nowhere"], 64), (test + ["--sign-in", "guest"], 64),
                (test + ["--email", "a", "--tokens"], 64), (test + ["--email", "a"], 64),
                (test + ["--tokens", "--password-stdin"], 64), (test + ["--tokens", "--call", "a b c"], 64),
                (test + ["--tokens", "--call", "b"], 64), (test + ["--tokens", "--longest-wait", "soon"], 64),
                (test + ["--field", "a=b"], 64), (test + ["--email", "a", "--sign-up"], 64),
                (["login", "--server", server, "--contract", "nothing", "--tokens"], 64),
                (["login", "--server", server, "--contract", broken, "--tokens"], 7),
                (["login", "--server", server, "--contract", good, "--tokens"], 64),
                (["login", "--server", server, "--sign-in", "guest"], 64),
            ]
            for (arguments, status) in cases {
                let ending = try await world.tool(arguments, input: "")
                #expect(ending.status == status, "\(arguments): \(ending.notes)")
                #expect(!ending.notes.isEmpty || !ending.output.isEmpty)
                let json = try await world.tool(arguments + ["--json"], input: "")
                #expect(json.status == status, "\(arguments) --json")
                #expect(json.object?["error"] != nil, "\(arguments): \(json.output)")
            }
        }
    }

    @Test func `a contract test of the freshet preset finds no difference or weakness in a Freshet server`()
        async throws
    {
        try await TestEnvironment.live { world in
            let server = try world.address.absoluteString
            let test = [
                "contract", "test", "freshet", "--base-url", server, "--password-stdin", "--longest-wait", "0s",
            ]
            let eve = ["--email", "eve@example.com"]
            #expect(try await world.tool(test + eve, input: Self.password + "\n").status == 4)
            let table = try await world.tool(test + eve + ["--sign-up"], input: Self.password + "\n")
            #expect(table.status == 0, "\(table.output)")
            #expect(table.notes.contains("presents made-up, altered and used refresh tokens"))
            #expect(!table.output.contains("NO\n"))
            #expect(!table.output.contains("Weaknesses"), "\(table.output)")

            let json = try await world.tool(test + eve + ["--json"], input: Self.password + "\n")
            let report = try #require(json.object)
            #expect(report["agrees"] as? Bool == true)
            let findings = try #require(report["findings"] as? [[String: Any]])
            let agreed = findings.filter { $0["agreement"] as? String == "agrees" }.compactMap { $0["step"] as? String }
            for step in [
                "sign_in", "refresh", "rotation", "used_refresh_token_later", "other_intent", "wrong_password",
            ] {
                #expect(agreed.contains(step), "\(step)")
            }
            for secret in [Self.password, "frt_", "eyJ"] { #expect(!table.output.contains(secret)) }
        }
    }

    @Test func `a contract test reports the steps at which a wrong contract differs from the server`() async throws {
        try await TestEnvironment.live { world in
            try await signUp(world, "ann@example.com")
            let wrong = Self.plain.replacing(#""rotation": "always""#, with: #""rotation": "never""#)
                .replacing("invalid_grant", with: "dead_grant").replacing(
                    #""in": "/expires_in""#,
                    with: #""in": "/life""#
                )
                .replacing(#", { "jwt": "exp" }"#, with: "")
            let arguments = [
                "contract", "test", try world.file("wrong.json", wrong), "--set", "base=v1", "--base-url",
            ]
            let account = ["--email", "ann@example.com", "--password-stdin", "--longest-wait", "0s", "--json"]
            let server = try world.address.absoluteString
            let ending = try await world.tool(arguments + [server] + account, input: Self.password + "\n")
            #expect(ending.status == 7)
            let findings = try #require(ending.object?["findings"] as? [[String: Any]])
            let differing = findings.filter { $0["agreement"] as? String == "differs" }
            #expect(differing.allSatisfy { ($0["advice"] as? String)?.isEmpty == false })
            let steps = Set(differing.compactMap { $0["step"] as? String })
            let wanted: Set = ["expiry", "rotation", "altered_refresh_token", "refresh_after_logout"]
            #expect(steps == wanted, "\(steps)")
        }
    }

    @Test func `a contract test of an unreachable server exits with the network error code`() async throws {
        try await TestEnvironment.live { world in
            let gone = ["contract", "test", "freshet", "--base-url", "http://127.0.0.1:1", "--email", "a@b.example"]
            let ending = try await world.tool(gone + ["--password-stdin", "--timeout", "2s"], input: "x\n")
            #expect(ending.status == 5, "\(ending.notes)")
        }
    }

    @Test func `a login stores the contract with its variables and secrets in the profile`() async throws {
        try await TestEnvironment.live { world in
            try await signUp(world, "ann@example.com")
            let contract = try world.file("plain.json", Self.plain)
            let key = try world.file("key", "sesame\n")
            let begin = ["login", "--server", try world.address.absoluteString, "--contract", contract]
            let account = ["--email", "ann@example.com", "--password-stdin"]
            let open = try await world.tool(begin + account, input: Self.password + "\n")
            #expect(open.status == 64)
            #expect(open.notes.contains("--set base=VALUE"))
            let values = ["--set", "base=v1", "--set", "key=@\(key)"]
            #expect(try await world.tool(begin + account + values, input: Self.password + "\n").status == 0)
            try FileManager.default.removeItem(atPath: contract)
            try FileManager.default.removeItem(atPath: key)

            #expect(try await world.tool(["status", "--json"]).object?["contract"] as? String == "plain")
            #expect(try await world.tool(["token", "--refresh"]).status == 0)
            #expect(try await world.tool(["request", "GET", "/v1/me"]).output.contains("ann@example.com"))
            #expect(try await world.tool(["sessions"]).status == 69)
            #expect(try await world.tool(["token", "--refresh", "--set", "base=elsewhere"]).status == 7)
            #expect(try await world.tool(["token", "--set", "nothing=1"]).status == 64)
            let profile = world.folder.appending(path: "home/config/freshet/profile-default.json")
            #expect(try String(contentsOf: profile, encoding: .utf8).contains("sesame"))
            let mode = try FileManager.default.attributesOfItem(atPath: profile.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await world.tool(["logout"]).status == 0)
            #expect(try await world.tool(["logout"]).status == 4, "nobody was signed in any more")
            #expect(try await world.tool(["token"]).status == 4)
            #expect(world.counts.ends["logout"] == 1)
        }
    }

    @Test func `an operation without an endpoint in the contract is not reported as a server error`() async throws {
        try await TestEnvironment.live { world in
            try await signUp(world, "ann@example.com")
            let text = Self.plain.replacing("\"rotation\": \"always\"", with: "\"rotation\": \"none\"")
                .replacing(/"refresh": \{[^}]*\{[^}]*\},[^}]*\{[^}]*\}\s*\},/, with: "")
                .replacing(
                    "\"access\": \"/access_token\", \"refresh\": \"/refresh_token\",",
                    with: "\"access\": \"/access_token\","
                )
            let contract = try world.file("unrenewable.json", text)
            let begin = ["login", "--server", try world.address.absoluteString, "--contract", contract]
            let account = ["--email", "ann@example.com", "--password-stdin", "--set", "base=v1", "--set", "key=sesame"]
            let login = try await world.tool(begin + account, input: Self.password + "\n")
            #expect(login.status == 0, "\(login.notes)")
            for (command, missing) in [
                (["sessions"], "sessions.list"), (["sessions", "end", "x"], "sessions.revoke"),
                (["logout", "--all"], "logoutAll"), (["token", "--refresh"], "no refresh endpoint"),
            ] {
                // With a server's database in the environment, a session of that server is ended.
                let ending = try await world.tool(command, environment: ["FRESHET_DATABASE": ""])
                #expect(ending.status == 69 && ending.notes.contains(missing), "\(ending.notes)")
                #expect(!ending.notes.contains("violates the contract"))
            }
            let json = try await world.tool(["sessions", "--json"])
            #expect(json.output.contains("\"unsupported\""))
            #expect(try await world.tool(["token"]).status == 0, "the session stays")
        }
    }

    @Test func `a login starts a session by a named sign-in of the contract or by given tokens`() async throws {
        try await TestEnvironment.live { world in
            try await signUp(world, "ann@example.com")
            let contract = try world.file("plain.json", Self.plain)
            let begin = ["login", "--server", try world.address.absoluteString, "--contract", contract]
            let secret = try world.file("secret", Self.password)
            let fields = ["--sign-in", "other", "--field", "username=ann@example.com", "--field", "code=@\(secret)"]
            #expect(try await world.tool(begin + ["--set", "base=v1"] + fields).status == 0)
            let token = try await world.tool(["token"])
            #expect(token.status == 0)

            // The base is kept, and tokens are taken over as they are.
            let given = #"{"access_token":"\#(token.output.trimmingCharacters(in: .newlines))","expires_in":60}"#
            #expect(try await world.tool(["login", "--tokens", "--profile", "other"], input: given).status == 64)
            let other = begin + ["--set", "base=v1", "--tokens", "--profile", "other"]
            #expect(try await world.tool(other, input: "[]").status == 64)
            #expect(try await world.tool(other, input: given).status == 0)
            let me = try await world.tool(["request", "GET", "/v1/me", "--profile", "other"])
            #expect(me.output.contains("ann@example.com"))
        }
    }
}
