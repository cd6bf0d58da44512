// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetServer
import Testing

@testable import FreshetDatabase
@testable import freshet

/// The operator's commands, beside a server that runs.
@Suite(.timeLimit(.minutes(5)))
struct `The operator's commands` {
    private func tool(_ world: TestEnvironment, _ commandLine: String) async throws -> TestEnvironment.ToolResult {
        let data = ["--data", world.folder.appending(path: "data").path]
        let ending = try await world.tool(commandLine.split(separator: " ").map(String.init) + data)
        #expect(!(ending.output + ending.notes).contains("frt_"))
        return ending
    }

    @Test func `operator commands find an account, explain a sign-out, and end sessions of the app`()
        async throws
    {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn()
            let users = try await tool(world, "users list --json")
            #expect(users.status == 0)
            #expect(users.output.contains("ann@example.com"))
            let list = try await tool(world, "sessions list --user ann@example.com --json")
            let sessions = try #require(
                try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]]
            )
            let id = try #require(sessions.first?["id"] as? String)
            #expect(try await tool(world, "sessions end \(id)").status == 0)
            await #expect(throws: SessionError.self) {
                _ = try await session.refresh()
            }
            #expect(session.state == .signedOut(.revokedByOperator))
            let story = try await tool(world, "sessions show \(id)")
            #expect(story.output.contains("An operator ended this session."))
            #expect(story.output.contains("signed in"))
        }
    }

    @Test func `a backup into a missing folder names that folder`() async throws {
        try await TestEnvironment.live { world in
            let missing = world.folder.appending(path: "missing").path
            let nowhere = try await tool(world, "backup \(missing)/copy.sqlite")
            #expect(nowhere.status == 6 && nowhere.notes == "freshet: \(missing): there is no such folder\n")
        }
    }

    @Test func `a backup that cannot be written whole names its file and the reason`() async throws {
        try await TestEnvironment.live { world in
            // PostgreSQL has its own backups.
            guard world.database == nil else { return }
            let file = world.folder.appending(path: "copy.sqlite").path
            let data = world.folder.appending(path: "data").path
            // As a full volume: the system refuses to write more than 50 KB into one file.
            let full = try await world.tool(
                ["backup", "--data", data, file],
                through: ["/bin/sh", "-c", #"trap '' XFSZ; ulimit -f 100; exec "$@""#, "sh"]
            )
            #expect(full.status == 6, "\(full.notes)")
            #expect(full.notes.hasPrefix("freshet: the database cannot be copied to \(file) ("), "\(full.notes)")
            #expect(!full.notes.contains("Error Domain"), "\(full.notes)")
        }
    }

    @Test func `commands exit with 1 if no account or session matches, and with 64 for an empty password`() async throws
    {
        try await TestEnvironment.live { world in
            for format in ["", " --json"] {
                let none = try await tool(world, "users list\(format)")
                #expect(none.status == 1 && none.notes.contains("There are no accounts."))
                #expect(none.output == (format.isEmpty ? "" : "[]\n"))
            }
            _ = try await world.signedIn()
            #expect(try await tool(world, "users list").status == 0)
            #expect(try await tool(world, "users list --after 1000").status == 1)
            #expect(try await tool(world, "sessions end --all --user ann@example.com").status == 0)
            let again = try await tool(world, "sessions end --all --user ann@example.com --json")
            #expect(again.status == 1 && again.output.contains("0"))
            let empty = try await world.tool(["operator", "password", "--data", world.folder.path], input: "\n")
            #expect(empty.status == 64 && empty.notes.contains("standard input contains no password"))
            let server = try world.address.absoluteString
            let login = ["login", "--server", server, "--email", "ann@example.com", "--password-stdin"]
            let blank = try await world.tool(login, input: "\n")
            #expect(blank.status == 64 && blank.notes.contains("standard input contains no password"))
        }
    }

    @Test func `sessions of a server that the environment names are listed and ended`() async throws {
        try await TestEnvironment.live { world in
            let session = try #require(try await world.signedIn().status.sessionID)
            let variables = ["FRESHET_DATA": world.folder.appending(path: "data").path]
            let list = try await world.tool(
                ["sessions", "list", "--user", "ann@example.com"],
                environment: variables
            )
            #expect(list.status == 0 && list.output.contains(session), "\(list.notes)")
            let end = try await world.tool(["sessions", "end", session], environment: variables)
            #expect(end.status == 0 && end.notes == "Ended 1 session.\n")
            // Without a server in the environment, a profile is needed.
            let own = try await world.tool(["sessions", "end", session], environment: ["FRESHET_DATABASE": ""])
            #expect(own.status == 4, "\(own.notes)")
        }
    }

    @Test func `disabling an account reports the number of ended sessions, and enabling one does not`() async throws {
        try await TestEnvironment.live { world in
            _ = try await world.signedIn()
            let disabled = try await tool(world, "users disable ann@example.com")
            #expect(disabled.notes == "ann@example.com is disabled; 1 session ended.\n")
            #expect(try await tool(world, "users enable ann@example.com").notes == "ann@example.com is enabled.\n")
        }
    }

    @Test func `operator commands exit with 64 for a wrong argument, and with 6 for a missing database`() async throws {
        try await TestEnvironment.live { world in
            #expect(try await tool(world, "users show nobody@example.com").status == 64)
            #expect(try await tool(world, "sessions show nonsense").status == 64)
            #expect(try await tool(world, "sessions end").status == 64)
            let nowhere = try await world.tool(
                ["users", "list", "--data", "/nowhere/at/all"],
                environment: ["FRESHET_DATABASE": ""]
            )
            #expect(nowhere.status == 6)
            #expect(nowhere.notes.contains("there is no database"))
        }
    }

    @Test(arguments: [
        ["users", "list"], ["users", "show", "ann@example.com"], ["users", "disable", "ann@example.com"],
        ["users", "enable", "ann@example.com"], ["users", "delete", "ann@example.com"],
        ["sessions", "list", "--user", "ann@example.com"],
        ["sessions", "show", "00112233-4455-6677-8899-aabbccddeeff"],
        ["sessions", "end", "00112233-4455-6677-8899-aabbccddeeff"],
        ["restore", #filePath], ["keys", "list"], ["keys", "rotate", "mac"],
        ["keys", "add", "mac"], ["keys", "promote", "mac", "2"], ["keys", "retire", "mac", "1"],
        ["migrate", "status"], ["migrate", "up"], ["backup", "copy.sqlite"], ["operator", "password"],
    ])
    func `operator commands exit with 6 for a missing data folder, and do not create the folder`(command: [String])
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-missing-\(UUID())")
        let notes = FileManager.default.temporaryDirectory.appending(path: "freshet-notes-\(UUID())")
        try Data().write(to: notes)
        defer { try? FileManager.default.removeItem(at: notes) }
        let ending = try await ChildProcess(
            command + ["--data", folder.path],
            program: RunningServer.program,
            environment: ["FRESHET_DATABASE": ""],
            input: "correct horse battery\n",
            log: try FileHandle(forWritingTo: notes)
        ).wait()
        #expect(ending.status == 6)
        #expect(try String(contentsOf: notes, encoding: .utf8).contains("\(folder.path)"))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `users list finds accounts by a prefix of their address or id, and returns them in pages`() async throws
    {
        try await TestEnvironment.live { world in
            for name in ["ann", "anne", "bob", "ANNA"] { _ = try await world.signedIn("\(name)@example.com") }
            func list(_ options: String) async throws -> (names: [String], notes: String) {
                let ending = try await tool(world, "users list --json \(options)")
                let accounts = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]]
                #expect(ending.status == (accounts?.isEmpty == false ? 0 : 1))
                return (accounts?.compactMap { $0["email"] as? String } ?? [], ending.notes)
            }
            let all = ["ann", "anne", "bob", "anna"].map { "\($0)@example.com" }
            #expect(try await list("").names == all)
            #expect(try await list("--all").names == all)
            #expect(try await list("--search Ann").names == [all[0], all[1], all[3]])
            #expect(try await list("--search ann@").names == [all[0]])
            #expect(
                try await list("--search nn").notes == "There are no accounts whose address or id begins with nn.\n"
            )
            #expect(try await list("--search _").names == [])

            let first = try await list("--search ann --limit 2")
            #expect(first.names == [all[0], all[1]])
            #expect(first.notes == "There are more: --after 2 goes on, --all lists them all.\n")
            let rest = try await list("--search ann --limit 2 --after 2")
            #expect(rest.names == [all[3]] && rest.notes.isEmpty)
            #expect(try await list("--search ann --all --after 1").names == [all[1], all[3]])

            let shown = try await tool(world, "users show bob@example.com --json")
            let id = try #require(shown.object?["id"] as? String)
            for length in [9, 14, 35, 36] { #expect(try await list("--search \(id.prefix(length))").names == [all[2]]) }
            #expect(try await list("--search \(id)0").names == [])

            let table = try await tool(world, "users list --search bob")
            let lines = table.output.split(separator: "\n").map {
                $0.split(separator: " ", omittingEmptySubsequences: true)
            }
            #expect(lines[0].first == "number" && lines[1].prefix(3) == ["3", "bob@example.com", "1"])
            #expect(try await tool(world, "users list --limit 0").status == 64)
            #expect(try await tool(world, "users list --limit 2 --all").status == 64)
        }
    }

    @Test func `migrate up applies the missing migrations in their order`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-earlier-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try SQLiteDatabase(in: folder, migratesUpTo: .mailQueue).close()
        func migrate(_ arguments: String...) async throws -> TestEnvironment.ToolResult {
            let command = ["migrate"] + arguments + ["--data", folder.path]
            return try await Tool.run(command, environment: ["FRESHET_DATABASE": ""])
        }
        let names = SchemaMigration.all.drop { $0 != .mailQueue }.dropFirst().map(\.description)
        let status = try await migrate("status")
        let missing = status.output.split(separator: "\n").suffix(names.count)
            .map { $0.split(separator: " ").joined(separator: " ") }
        let areListed = zip(missing, names).allSatisfy { $0.hasPrefix("missing \($1) apply ") }
        #expect(!missing.isEmpty && missing.count == names.count && areListed, "\(missing)")
        #expect(try await migrate("up", "--json").object?["done"] as? [String] == names)
        #expect(try await migrate("up").notes == "The database is up to date.\n")
    }

    @Test func `operator commands list the applied migrations and copy a SQLite database`() async throws {
        try await TestEnvironment.live { world in
            let status = try await tool(world, "migrate status")
            #expect(status.output.hasPrefix("state  migration\n"))
            let steps = status.output.split(separator: "\n").dropFirst()
            #expect(steps.allSatisfy { $0.hasPrefix("done   ") })
            // One list, whichever database it is.
            #expect(steps.first == "done   1 create users, sessions and code_attempts")
            #expect(steps.contains("done   11 rewrite sessions in less space"))
            #expect(steps.map { $0.split(separator: " ")[1] } == (1...steps.count).map { "\($0)" })
            let copy = world.folder.appending(path: "copy.sqlite").path
            // Of PostgreSQL's database pg_dump makes the copy.
            guard world.database == nil else {
                #expect(try await tool(world, "backup \(copy)").status == 64)
                return
            }
            #expect(try await tool(world, "backup \(copy)").status == 0)
            #expect(try await tool(world, "backup \(copy)").status == 64)
        }
    }

    @Test func `serve prints its settings with their origins and without secrets`() async throws {
        try await TestEnvironment.live { world in
            let file = try world.file("settings.json", #"{"audience": "from-file", "metrics-listen": "9464"}"#)
            let printed = try await world.tool(
                ["serve", "--print-config", "--port", "7000", "--config", file],
                environment: ["FRESHET_ISSUER": "https://user:S3CR3T@auth.example.com"]
            )
            #expect(printed.status == 0)
            let lines = Set(printed.output.split(separator: "\n").map(String.init))
            for line in [
                "port = 7000  (command line)", "audience = from-file  (file \(file))", "access-ttl = 10m  (default)",
                "issuer = https://•••@auth.example.com  (environment, FRESHET_ISSUER)", "tls-key = none  (default)",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            #expect(!printed.output.contains("S3CR3T"))
            let refused = try await world.tool(["serve", "--check-config", "--host", "0.0.0.0"])
            #expect(refused.status == 64)
            #expect(refused.notes.contains("--behind-proxy"))
            // A variable of other tests, whose name is near that of a setting.
            let wrapper = ["/usr/bin/env", "-u", "FRESHET_STORES"]
            #expect(try await world.tool(["serve", "--check-config"], through: wrapper).status == 0)
        }
    }
}
