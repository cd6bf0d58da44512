// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetSystem
import FreshetWire
import PostgresCluster
import Testing

@testable import FreshetIdentity
@testable import FreshetServer
@testable import freshet

/// `freshet keys` and SIGHUP, on a server that runs as a process of its own.
@Suite(.timeLimit(.minutes(5)))
struct `Keys of a running server` {
    /// The server, and the tool on its folder.
    private struct Scene {
        let server: RunningServer
        /// Where its database is, if the test says so.
        var environment: [String: String] = [:]

        var data: URL { server.folder.appending(path: "data") }

        func tool(_ commandLine: String) async throws -> (status: Int32, lines: [String]) {
            let arguments = commandLine.split(separator: " ").map(String.init)
            let child = try ChildProcess(
                ["keys"] + arguments + ["--data", data.path],
                program: RunningServer.program,
                environment: environment.merging(server.database) { $1 }
            )
            let ending = await child.wait()
            return (ending.status, ending.output.split(separator: "\n").map(String.init))
        }

        /// The rows of the table of keys, with one space between the cells.
        func list() async throws -> [String] {
            let lines = try await tool("list").lines.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(lines.first == "kind number state time")
            return Array(lines.dropFirst())
        }

        /// The ids that are published.
        func published() async throws -> [String] {
            let reply = try await server.send("GET", "/.well-known/jwks.json")
            return (reply.object["keys"] as? [[String: Any]] ?? []).compactMap { $0["kid"] as? String }
        }

        /// All that is written down about keys becomes this much older.
        func wait(_ seconds: Int64) throws {
            let file = data.appending(path: "keys/chains.json")
            let text = try String(contentsOf: file, encoding: .utf8)
            let older = text.replacing(/"(addedAt|at|currentSince|supersededAt)" : (\d+)/) { match in
                "\"\(match.1)\" : \((Int64(match.2) ?? 0) - seconds * 1000)"
            }
            #expect(older != text)
            try PrivateFiles.replace(file, with: Array(older.utf8))
        }

        func signIn() async throws -> (access: String, refresh: String) {
            let reply = try await server.send(
                "POST",
                "/v1/login/password",
                json: ["email": "ann@example.com", "password": "correct horse"]
            )
            return (try #require(reply.string("access_token")), try #require(reply.string("refresh_token")))
        }

        static func keyID(_ token: String) throws -> String {
            let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.decode($0) })
            let object = try #require(try JSONSerialization.jsonObject(with: Data(header)) as? [String: Any])
            return try #require(object["kid"] as? String)
        }
    }

    @Test func `a signing key is published before its first use, and removed after its last token expires`()
        async throws
    {
        try await RunningServer.run([]) { server in
            let scene = Scene(server: server)
            try await server.signUp()
            let first = try await scene.published()
            let before = try await scene.signIn()
            #expect(first == [try Scene.keyID(before.access)])
            #expect(try await scene.list().map { $0.prefix(15) } == ["es256 1 in-use ", "mac 1 in-use 20"])

            #expect(try await scene.tool("rotate es256").status == 0)
            #expect(try await scene.tool("rotate es256").status == 64)
            try await server.hangUp()
            #expect(try await scene.published().count == 2)
            #expect(try Scene.keyID(try await scene.signIn().access) == first[0])
            #expect(try await scene.list()[1].hasPrefix("es256 2 in-use-from "))
            #expect(try await scene.tool("promote es256 2").status == 64)

            try scene.wait(900)
            try await server.hangUp()
            #expect(try Scene.keyID(try await scene.signIn().access) != first[0])
            #expect(try await scene.published().count == 2)
            // Tokens that were signed before remain valid.
            #expect(try await server.send("GET", "/v1/me", bearer: before.access).status == 200)
            #expect(try await scene.tool("retire es256 1").status == 64)
            #expect(try await scene.tool("retire es256 2").status == 64)

            try scene.wait(700)
            try await server.hangUp()
            #expect(try await scene.published().count == 1)
            #expect(try await scene.published() != first)
            #expect(try await scene.tool("retire es256 1").status == 0)
            #expect(try await scene.list()[0].hasPrefix("es256 2 in-use "))
            #expect(!FileManager.default.fileExists(atPath: scene.data.appending(path: "keys/es256-1.pem").path))
        }
    }

    @Test func `a key without a recorded schedule is listed with the modification time of its file`()
        async throws
    {
        try await RunningServer.run([]) { server in
            let scene = Scene(server: server)
            let folder = scene.data.appending(path: "keys")
            let old = Date(timeIntervalSince1970: 1_700_000_000)
            for name in ["es256-1.pem", "mac-1.key"] {
                let file = folder.appending(path: name)
                #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix("\n"))
                try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file.path)
            }
            #expect(
                try await scene.list()
                    == ["es256 1 in-use 2023-11-14T22:13:20Z", "mac 1 in-use 2023-11-14T22:13:20Z"]
            )
            // The first change records the schedule, and the key was in use before.
            #expect(try await scene.tool("add es256").status == 0)
            #expect(try await scene.list()[0] == "es256 1 in-use 2023-11-14T22:13:20Z")
            #expect(try await scene.tool("promote es256 2 --force").status == 0)
            #expect(try await !scene.list()[0].contains("2023"))
        }
    }

    @Test func `a key of refresh tokens changes immediately only if forced, and stays while a session needs it`()
        async throws
    {
        try await RunningServer.run([]) { server in
            let scene = Scene(server: server)
            try await server.signUp()
            let before = try await scene.signIn()
            #expect(try await scene.tool("add mac").lines == ["2"])
            #expect(try await scene.tool("promote mac 2").status == 64)
            #expect(try await scene.tool("promote mac 2 --force").status == 0)
            try await server.hangUp()
            #expect(try RefreshToken(try await scene.signIn().refresh).body.keyID == 2)
            let reply = try await server.send(
                "POST",
                "/v1/refresh",
                json: ["refresh_token": before.refresh, "intent": Intent.random().text]
            )
            #expect(reply.status == 200)
            #expect(try RefreshToken(try #require(reply.string("refresh_token"))).body.keyID == 2)
            #expect(try await scene.tool("retire mac 1").status == 64)
            #expect(try await scene.tool("retire mac 7").status == 64)
            #expect(try await scene.tool("rotate rsa").status == 64)
        }
    }

    /// Two servers on one folder of keys, with their rows on PostgreSQL: one of SQLite's is for one server.
    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `keys from a program change with its output, and servers that share them accept the same tokens`() async throws
    {
        let database = try ["FRESHET_DATABASE": PostgresCluster.shared.get().database()]
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let names = [first, second].map { JSONWebKey($0.publicKey).kid }
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-given-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "keys.pem")
        func print(_ keys: [(Int, P256.Signing.PrivateKey)]) throws {
            let text = keys.map { "es256-\($0.0)\n\($0.1.pemRepresentation)\n" }.joined()
            try PrivateFiles.replace(file, with: Array(text.utf8))
        }
        try print([(1, first)])
        let command = ["--keys-command", "/bin/cat \(file.path)"]
        try await RunningServer.run(command, environment: database) { server in
            let scene = Scene(server: server, environment: database)
            try await server.signUp()
            let before = try await scene.signIn()
            let path = scene.data.path
            try await RunningServer.run(
                command + ["--data", path],
                hasData: false,
                environment: database.merging(server.database) { $1 }
            ) { other in
                func accepts(_ token: String) async throws -> Bool {
                    let replies = [
                        try await server.send("GET", "/v1/me", bearer: token),
                        try await other.send("GET", "/v1/me", bearer: token),
                    ]
                    return replies.allSatisfy { $0.status == 200 }
                }
                #expect(try await scene.published() == [names[0]])
                #expect(try await accepts(before.access))
                try print([(1, first), (2, second)])
                try await server.hangUp()
                #expect(try await scene.published() == names)
                // The other one has not been told, and nobody notices.
                #expect(try await accepts(try await scene.signIn().access))
                try await other.hangUp()
                try scene.wait(900)
                try await server.hangUp()
                #expect(try Scene.keyID(try await scene.signIn().access) == names[1])
                let after = try await scene.signIn()
                #expect(try await accepts(before.access))
                #expect(try await accepts(after.access))
                #expect(try await scene.tool("rotate es256").status == 64)
                #expect(try await scene.list()[1].hasPrefix("es256 2 in-use "))
                // Nonsense changes nothing.
                try PrivateFiles.replace(file, with: Array("nonsense".utf8))
                try await server.hangUp()
                #expect(
                    try String(contentsOf: server.log, encoding: .utf8)
                        .contains("the keys' source cannot be read; the keys stay as they are")
                )
                #expect(try await accepts(after.access))
            }
            #expect(!FileManager.default.fileExists(atPath: scene.data.appending(path: "keys/es256-1.pem").path))
        }
    }

    @Test func `printed settings contain no keys, and conflicting or invalid sources of keys are refused`() async throws
    {
        func serve(_ arguments: [String], _ environment: [String: String]) async throws -> ChildProcess.Ending {
            let program = RunningServer.program
            return try await ChildProcess(["serve"] + arguments, program: program, environment: environment).wait()
        }
        let secret = P256.Signing.PrivateKey().pemRepresentation
        let printed = try await serve(["--print-config"], ["FRESHET_KEYS": secret])
        #expect(printed.status == 0)
        #expect(printed.output.contains("keys = •••  (environment, FRESHET_KEYS)\n"))
        #expect(!printed.output.contains("BEGIN"))
        let command = ["--keys-command", "/bin/cat S3CR3T"]
        let masked = try await serve(["--print-config"] + command, [:])
        #expect(masked.output.contains("keys-command = /bin/cat •••  (command line)\n"))
        #expect(!masked.output.contains("S3CR3T"))
        for (arguments, environment) in [
            (command, ["FRESHET_KEYS": secret]), ([], ["FRESHET_KEYS": "nonsense"]),
            (["--keys-command", "cat keys"], [:]), (["--keys-command", "/nowhere/at/all"], [:]),
        ] {
            #expect(try await serve(["--check-config"] + arguments, environment).status == 64)
        }
    }
}
