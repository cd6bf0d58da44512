// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import freshet

extension TestEnvironment {
    /// How the tool ended, and what it wrote on standard output and standard error.
    struct ToolResult {
        var status: Int32
        var output: String
        /// Standard error, without what the tool writes while it waits.
        var notes: String
        /// Whether the tool reported that it was waiting, as any command does on a busy machine.
        var hasReportedWait: Bool

        init(status: Int32, output: String, standardError: String) {
            let wait = ServerCall.waitNotice + "\n"
            self.status = status
            self.output = output
            notes = standardError.replacing(wait, with: "")
            hasReportedWait = standardError.contains(wait)
        }

        /// Standard output as one JSON object.
        var object: [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any]
        }
    }

    /// The program that this very build made.
    static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "freshet")

    /// Runs the tool as a process of its own, on a profile of this world.
    ///
    /// Its session rests in a file, and never among the user's secrets, unless the environment says otherwise.
    ///
    /// - Parameters:
    ///   - arguments: The subcommand and its options.
    ///   - input: The program's standard input.
    ///   - environment: Variables that differ from those of this environment.
    ///   - wrapper: A program, and what it takes before another program's command line.
    /// - Returns: How it ended.
    /// - Throws: The system's error if it cannot be started.
    func tool(
        _ arguments: [String],
        input: String? = nil,
        environment: [String: String] = [:],
        through wrapper: [String] = []
    ) async throws -> ToolResult {
        let home = folder.appending(path: "home").path
        let log = folder.appending(path: "notes-\(UUID())")
        try Data().write(to: log)
        let handle = try FileHandle(forWritingTo: log)
        let commandLine = wrapper + [Self.program.path] + arguments
        let ending = try await ChildProcess(
            Array(commandLine.dropFirst()),
            program: URL(filePath: commandLine[0]),
            environment: [
                "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state", "FRESHET_STORE": "plain-file",
            ].merging(database.map { ["FRESHET_DATABASE": $0] } ?? [:]) { $1 }.merging(environment) { $1 },
            input: input,
            log: handle
        ).wait()
        try handle.close()
        let standardError = try String(contentsOf: log, encoding: .utf8)
        return ToolResult(status: ending.status, output: ending.output, standardError: standardError)
    }

    /// Writes a file of this world, and says where it is.
    func file(_ name: String, _ text: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
