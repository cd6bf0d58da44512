// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import PostgresCluster
import Testing

@testable import freshet

/// Properties that every command of the tool has.
///
/// One process at a time: hundreds at once would take the processors from the tests whose clients have timeouts.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Properties of all commands` {
    @Test(.enabled(if: !PostgresCluster.isAsked, "they use no database"))
    func `bash completions offer the values of choice options, and files or folders for path options`() async throws {
        let script = try await Tool.run(["--generate-completion-script", "bash"]).output
        let choices = [#"'es256'$'\n''mac'"#, #"'auto'$'\n''secret-service'"#, #"'trace'$'\n''debug'"#]
        for choice in choices { #expect(script.contains("__freshet_add_completions -W \(choice)"), "\(choice)") }
        for (option, kind) in [("config", "-f"), ("tls-key", "-f"), ("data", "-d")] {
            let block = script.split(separator: "'--\(option)')\n").dropFirst().first?.prefix(80)
            #expect(block?.contains("__freshet_add_completions \(kind)") == true, "\(option)")
        }
    }

    @Test(.enabled(if: !PostgresCluster.isAsked, "they use no database"), arguments: CommandNode.all)
    func `every command prints its summary with --help`(command: CommandNode) async throws {
        let help = try await Tool.run(command.path + ["--help"])
        #expect(help.status == 0 && help.notes.isEmpty)
        #expect(!command.abstract.isEmpty)
        let text = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.hasPrefix("OVERVIEW: \(command.abstract)"), "\(help.output)")
        #expect(help.output.contains("USAGE: \(command.name)"))
    }

    @Test(.enabled(if: !PostgresCluster.isAsked, "they use no database"), arguments: CommandNode.all)
    func `every command refuses an unknown option with its usage and exit code 64`(command: CommandNode) async throws {
        let refused = try await Tool.run(command.path + ["--no-such-option"])
        #expect(refused.status == 64 && refused.output.isEmpty)
        // A missing argument is reported before an unknown option.
        #expect(
            refused.notes.hasPrefix("freshet: ") && refused.notes.contains("\nUsage: \(command.name)"),
            "\(refused.notes)"
        )

        let json = try await Tool.run(command.path + ["--json", "--no-such-option"])
        #expect(json.status == 64 && json.notes.isEmpty)
        let error = try #require(json.object?["error"] as? [String: Any])
        #expect(error["code"] as? String == "usage")
        #expect(error["message"] as? String != "")
    }

    @Test(.enabled(if: !PostgresCluster.isAsked, "they use no database"), arguments: CommandNode.leaves)
    func `every command without subcommands has a --json option`(command: CommandNode) async throws {
        let help = try await Tool.run(command.path + ["--help"])
        #expect(help.output.contains("--json"))
    }

    @Test(.enabled(if: !PostgresCluster.isAsked, "they use no database"), arguments: CommandNode.all)
    func `every command exits with code 74 when its help cannot be written to a full device`(command: CommandNode)
        async throws
    {
        let full = try await Tool.run(command.path + ["--help"], through: Tool.fullDevice)
        #expect(full.status == 74)
        #expect(full.notes == "freshet: standard output: No space left on device\n")
    }

    @Test func `the exit codes of tool errors are in the help, and the documentation lists the same codes`()
        async throws
    {
        let help = try await Tool.run(["--help"]).output
        let listed = help.matches(of: /\n  (\d+) +\S/).compactMap { Int32($0.1) }
        let errors: [ToolError] = [
            .usage(""), .signInNeeded(""), .network(""), .storeUnavailable(""), .contractFault(""), .unsupported(""),
        ]
        #expect(Set(errors.map(\.exitCode.rawValue)).isSubset(of: listed))
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/server.md")
        let table = try String(contentsOf: page.standardized, encoding: .utf8)
        #expect(table.matches(of: /\n\| (\d+) \|/).compactMap { Int32($0.1) } == listed)
    }

    @Test func `every command without subcommands is in the example table or tested separately`() {
        let examples = Set(CommandExample.all.map(\.path))
        let missing = CommandNode.leaves.filter {
            !examples.contains($0.path) && !CommandExample.elsewhere.contains($0.path)
        }
        #expect(missing.isEmpty, "no example of \(missing.map(\.name))")
    }

    @Test func `every example command prints JSON with --json, and fails on a full device`() async throws {
        try await TestEnvironment.live { world in
            let scene = try await CommandScene(world)
            for example in CommandExample.all {
                // Of PostgreSQL's database pg_dump makes the copy.
                if ["backup", "restore"].contains(example.path[0]), world.database != nil { continue }
                try await check(example, in: scene)
            }
        }
    }

    private func check(_ example: CommandExample, in scene: CommandScene) async throws {
        let name = Comment("\(example.path.joined(separator: " "))")
        func run(_ more: [String] = [], through wrapper: [String] = []) async throws -> TestEnvironment.ToolResult {
            let arguments = try await example.arguments(scene)
            return try await scene.world.tool(
                example.path + arguments + more,
                input: try example.input(scene),
                through: wrapper
            )
        }
        let plain = try await run()
        #expect(plain.status == example.status, "\(name): \(plain.notes)")
        #expect(plain.output.isEmpty != example.printsText, name)

        let json = try await run(["--json"])
        #expect(json.status == example.status, "\(name): \(json.notes)\(json.output)")
        #expect(json.output.hasSuffix("\n"), name)
        let documents = json.output.split(separator: "\n")
        #expect(example.printsLines || documents.count == 1, name)
        for document in documents {
            #expect(throws: Never.self, name) { try JSONSerialization.jsonObject(with: Data(document.utf8)) }
        }

        for format in example.printsText ? [[], ["--json"]] : [["--json"]] {
            let full = try await run(format, through: Tool.fullDevice)
            #expect(full.status == (example.status == 0 ? 74 : example.status), name)
            #expect(
                full.notes.contains("freshet: standard output: No space left on device\n"),
                "\(name): \(full.notes)"
            )
        }
    }
}

/// The tool without a profile or a server.
enum Tool {
    /// A command line that has standard output on a device without space.
    static let fullDevice = ["/bin/sh", "-c", #"exec "$@" >/dev/full"#, "sh"]

    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        through wrapper: [String] = []
    ) async throws -> TestEnvironment.ToolResult {
        let log = FileManager.default.temporaryDirectory.appending(path: "freshet-notes-\(UUID())")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let handle = try FileHandle(forWritingTo: log)
        let commandLine = wrapper + [TestEnvironment.program.path] + arguments
        let ending = try await ChildProcess(
            Array(commandLine.dropFirst()),
            program: URL(filePath: commandLine[0]),
            environment: environment,
            input: "",
            log: handle
        ).wait()
        try handle.close()
        let standardError = try String(contentsOf: log, encoding: .utf8)
        return TestEnvironment.ToolResult(status: ending.status, output: ending.output, standardError: standardError)
    }
}
