// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetKit
import Testing

@testable import freshet

/// The tool as a person and a script see it: processes, output, exit codes.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `The tool` {
    /// Runs the tool on the profile of `world`.
    private func tool(_ world: TestEnvironment, _ arguments: [String], input: String? = nil) async throws
        -> TestEnvironment.ToolResult
    {
        try await world.tool(arguments, input: input)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a server with --until-stdin-closes exits with 0 when its standard input closes`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-orphan-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ChildProcess(
            ["serve", "--port", "0", "--data", folder.path, "--until-stdin-closes"],
            program: RunningServer.program,
            keepsInputOpen: true
        )
        _ = await server.lines.first { _ in true }
        server.closeInput()
        #expect(await server.wait().status == 0)
    }

    @Test func `the tool signs a user up, prints tokens, sends requests, lists sessions and signs the user out`()
        async throws
    {
        try await TestEnvironment.live { world in
            let server = try world.address.absoluteString
            #expect(try await tool(world, ["token"]).status == 4)
            #expect(try await tool(world, ["status"]).status == 4)

            let account = ["login", "--server", server, "--email", "ann@example.com", "--password-stdin"]
            #expect(try await tool(world, account, input: "correct horse\n").status == 4)
            #expect(try await tool(world, account + ["--sign-up"], input: "correct horse\n").status == 0)
            #expect(try await tool(world, account, input: "wrong horse\n").status == 4)

            let status = try await tool(world, ["status", "--json"])
            #expect(status.status == 0)
            let facts = try #require(
                try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
            )
            #expect(facts["state"] as? String == "signed_in")
            #expect(facts["email"] as? String == "ann@example.com")
            #expect(!status.output.contains("frt_"))

            let token = try await tool(world, ["token", "--refresh"])
            #expect(token.status == 0)
            #expect(token.output.split(separator: ".").count == 3)
            let me = try await tool(world, ["request", "GET", "/v1/me"])
            #expect(me.status == 0)
            #expect(me.output.contains("ann@example.com"))
            #expect(try await tool(world, ["request", "GET", "/v1/nothing"]).status == 1)
            let sessions = try await tool(world, ["sessions", "--json"])
            #expect(sessions.output.contains(#""current":true"#))
            #expect(try await tool(world, ["sessions", "end", "nonsense"]).status == 64)

            let decoded = try await tool(world, ["decode", "--json"], input: token.output)
            #expect(decoded.output.contains(#""verified":false"#))
            #expect(decoded.output.contains(#""iss":"http://localhost""#))

            #expect(try await tool(world, ["logout"]).status == 0)
            #expect(try await tool(world, ["token"]).status == 4)
            #expect(world.counts.ends == ["logout": 1])
        }
    }

    @Test func `exit codes distinguish the failures that scripts handle`() async throws {
        try await TestEnvironment.live { world in
            #expect(try await tool(world, ["decode", "nonsense"]).status == 64)
            #expect(try await tool(world, ["no-such-command"]).status == 64)
            #expect(try await tool(world, ["serve", "--port", "x"]).status == 64)
            #expect(try await tool(world, ["serve", "--access-ttl", "soon"]).status == 64)
            let data = world.folder.appending(path: "production").path
            #expect(try await tool(world, ["serve", "--production", "--data", data]).status == 64)
            #expect(try await tool(world, ["decode"], input: "").status == 64)

            let account = ["login", "--server", try world.address.absoluteString, "--email", "a@b.example"]
            #expect(
                try await tool(world, account + ["--password-stdin", "--sign-up"], input: "correct horse\n").status == 0
            )
            let store = world.folder.appending(path: "home/state/freshet/default.session")
            try Data("garbage".utf8).write(to: store)
            // Waiting does not mend a damaged record; a sign-in does.
            let token = try await tool(world, ["token"])
            #expect(token.status == 4 && token.notes.contains("Sign in again."))
            #expect(try await tool(world, ["status"]).status == 4)
            #expect(try await tool(world, account + ["--password-stdin"], input: "correct horse\n").status == 0)
            #expect(try await tool(world, ["token"]).status == 0)
            #expect(try Data(contentsOf: store.appendingPathExtension("damaged")) == Data("garbage".utf8))
        }
    }

    @Test(arguments: [
        (["lgoin"], "freshet: freshet has no subcommand 'lgoin'; did you mean login?\n"),
        (["users", "lst", "--data", "x"], "freshet: freshet users has no subcommand 'lst'; did you mean list?\n"),
        (["help", "bogus"], "freshet: freshet has no subcommand 'bogus'; freshet --help lists the subcommands\n"),
        (["help", "keys", "lits"], "freshet: freshet keys has no subcommand 'lits'; did you mean list?\n"),
    ])
    func `an unknown subcommand is a usage error that suggests a similar subcommand or the help`(
        arguments: [String],
        sentence: String
    )
        async throws
    {
        try await TestEnvironment.live { world in
            let ending = try await tool(world, arguments)
            #expect(ending.status == 64 && ending.output.isEmpty)
            #expect(ending.notes == sentence)
        }
    }

    @Test func `the version and the help of a subcommand are printed with success`() async throws {
        try await TestEnvironment.live { world in
            let version = try await tool(world, ["--version"])
            #expect(version.status == 0 && version.output == "freshet \(FreshetCommand.version)\n")
            let help = try await tool(world, ["help", "keys", "list"])
            #expect(help.status == 0 && help.output.contains("freshet keys list"))
        }
    }

    @Test func `a refused sign-up or an insecure server address exits with 64`() async throws {
        try await TestEnvironment.live { world in
            let server = try world.address.absoluteString
            var codes: [Int32] = []
            for (email, password) in [
                ("ann@example.com", "short"), ("no address", "correct horse"), ("ann@example.com", "correct horse"),
                ("ann@example.com", "correct horse"),
            ] {
                let arguments = ["login", "--server", server, "--email", email, "--password-stdin", "--sign-up"]
                codes.append(try await tool(world, arguments, input: password + "\n").status)
            }
            #expect(codes == [64, 64, 0, 64])

            let elsewhere = ["login", "--server", "http://auth.example.com", "--email", "a@b.example"]
            #expect(try await tool(world, elsewhere).status == 64)
        }
    }

    @Test func `a server that cannot start reports the cause in one sentence`() async throws {
        try await TestEnvironment.live { world in
            let file = world.folder.appending(path: "file")
            try Data().write(to: file)
            let folder = file.appending(path: "data").path
            let unusable = try await tool(world, ["serve", "--port", "0", "--data", folder])
            #expect(unusable.status == 6)
            #expect(unusable.notes == "freshet: \(folder): cannot be used as the data folder (Not a directory)\n")

            let open = world.folder.appending(path: "open")
            try FileManager.default.createDirectory(
                at: open,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755]
            )
            #expect(try await tool(world, ["serve", "--port", "0", "--data", open.path]).status == 6)

            let data = world.folder.appending(path: "other").path
            // A folder of its own has keys of its own, which the world's database would not take.
            let taken = try await world.tool(
                ["serve", "--port", "\(world.port)", "--data", data],
                environment: ["FRESHET_DATABASE": ""]
            )
            #expect(taken.status == 5)
            #expect(taken.notes.hasSuffix("(Address already in use)\n"))
        }
    }

    @Test func `the request command accepts -H as a header option and -h as help`() async throws {
        try await TestEnvironment.live { world in
            _ = try await tool(
                world,
                ["login", "--server", try world.address.absoluteString, "--email", "a@b.example"]
                    + ["--password-stdin", "--sign-up"],
                input: "correct horse\n"
            )
            #expect(try await tool(world, ["request", "GET", "/v1/me", "-H", "Accept: text/plain"]).status == 0)
            let help = try await tool(world, ["request", "-h"])
            #expect(help.status == 0)
            #expect(help.output.contains("USAGE"))
        }
    }

    @Test(arguments: [
        ["GET /x HTTP/1.1\r\nEvil: 1\r\n\r\nGET"], ["G T"], [""], ["GÉT"], ["GET\n"],
        ["GET", "-H", "Accept: a\r\nEvil: 1"], ["GET", "-H", "Ac cept: a"], ["GET", "-H", ": a"],
        ["GET", "-H", "Accept"],
    ])
    func `a request with an invalid method or header is refused as a usage error`(parts: [String]) throws {
        let arguments = parts[...0] + ["/v1/me"] + parts[1...]
        #expect(throws: (any Error).self) { try RequestCommand.parse(Array(arguments)) }
        do { _ = try RequestCommand.parse(Array(arguments)) } catch {
            #expect(RequestCommand.exitCode(for: error) == ExitCode(64))
        }
    }

    @Test(arguments: ["GET", "get", "M-SEARCH", "PROPFIND"])
    func `the request command accepts any method that is an HTTP token, and keeps its case`(method: String) throws {
        #expect(try RequestCommand.parse([method, "/v1/me", "-H", "Accept:  a:b\tc"]).method == method)
    }

    @Test func `a wrong configuration exits with 64, a faulty response with 7`() {
        #expect(ToolError(.misconfigured("there is no value for 'key'")).exitCode.rawValue == 64)
        #expect(ToolError(.invalidResponse("the response is empty")).exitCode.rawValue == 7)
        let failure = ToolError(.offline(retryAfter: nil, failure: .hostNotFound))
        #expect(failure == .network("The server cannot be reached now: host not found."))
    }

    @Test func `a command with --json prints an error as JSON on standard output, with the usual exit code`()
        async throws
    {
        try await TestEnvironment.live { world in
            struct Printed: Decodable {
                struct Content: Decodable {
                    var code: String
                    var message: String
                }
                var error: Content
            }
            let cases: [([String], Int32, String)] = [
                (["token", "--json"], 4, "sign_in_needed"), (["decode", "nonsense", "--json"], 64, "usage"),
                (["status", "--json", "--no-such-option"], 64, "usage"),
                (["login", "--json", "--server", "http://127.0.0.1:1", "--email", "a@b.example"], 5, "network"),
                (["login", "--json", "--server", "http://example.com", "--email", "a@b.example"], 64, "usage"),
            ]
            for (arguments, status, code) in cases {
                let ending = try await tool(world, arguments)
                #expect(ending.status == status)
                let printed = try JSONDecoder().decode(Printed.self, from: Data(ending.output.utf8))
                #expect(printed.error.code == code)
                #expect(!printed.error.message.isEmpty)
                #expect(ending.notes.isEmpty, "\(ending.notes)")
            }
            #expect(try await tool(world, ["token", "--json", "--help"]).output.contains("USAGE"))
        }
    }

    @Test func `an unreachable server causes exit code 5, and the tool reports the wait while it retries`() async throws
    {
        try await TestEnvironment.live { world in
            let server = try world.address.absoluteString
            let account = ["login", "--server", server, "--email", "a@b.example", "--password-stdin"]
            #expect(try await tool(world, account + ["--sign-up"], input: "correct horse\n").status == 0)

            world.network.setFaultMode(.holding)
            let patient = try await tool(world, ["token", "--refresh", "--timeout", "3s"])
            #expect(patient.status == 5)
            #expect(patient.hasReportedWait)

            world.network.setFaultMode(.passThrough)
            await world.network.close()
            #expect(try await tool(world, ["request", "GET", "/v1/me"]).status == 5)
            #expect(try await tool(world, account, input: "correct horse\n").status == 5)
            #expect(try await tool(world, ["token"]).status == 0)

            let hasty = try await tool(world, ["token", "--refresh", "--timeout", "10ms"])
            #expect(hasty.status == 5)
            #expect(!hasty.hasReportedWait)
            #expect(try await tool(world, ["token", "--timeout", "soon"]).status == 64)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"), arguments: ["", "/default.session"])
    func `a store that belongs to another user is not used`(name: String) async throws {
        try await TestEnvironment.live { world in
            let account = ["login", "--server", try world.address.absoluteString, "--email", "a@b.example"]
            let signUp = account + ["--password-stdin", "--sign-up"]
            #expect(try await tool(world, signUp, input: "correct horse\n").status == 0)
            #expect(try await tool(world, ["token"]).status == 0)
            let path = world.folder.appending(path: "home/state/freshet").path + name
            #expect(chown(path, 65_534, 65_534) == 0)
            let ending = try await tool(world, ["token"])
            #expect(ending.status == 6)
            #expect(ending.notes.contains("belongs to another user"))
        }
    }

    @Test func `help has an example for every command`() async throws {
        try await TestEnvironment.live { world in
            for command in FreshetCommand.configuration.subcommands {
                let name = try #require(command.configuration.commandName)
                let help = try await tool(world, ["help", name])
                #expect(help.status == 0)
                #expect(help.output.contains("freshet \(name)"))
                #expect(help.output.contains("Example"))
            }
        }
    }
}
