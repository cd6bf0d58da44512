// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// The findings of Scripts/check about tests and figures.
@Suite(.timeLimit(.minutes(5))) struct `Scripts of the checks` {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Scripts").standardizedFileURL

    private func run(_ script: String, options: [String] = [], _ texts: String...) throws
        -> (status: Int32, output: String)
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = Self.scripts.appending(path: script)
        process.arguments =
            try options
            + texts.enumerated().map { number, text in
                let file = folder.appending(path: "\(number)")
                try Data(text.utf8).write(to: file)
                return file.path
            }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test func `tests that ran in no step are counted by reason, and those that one step ran are not`() throws {
        let main = """
            ➜ Test "of the keyring" skipped: "needs a keyring"
            ➜ Test "of another keyring" skipped: "needs a keyring"
            ➜ Test "of a database" skipped: "needs PostgreSQL"
            ➜ Test "without a reason" skipped.
            ➜ Suite "Stores" skipped: "needs a keyring"
            ✔ Test "always" passed after 0.1 seconds.
            """
        let stores = """
            ✔ Test "of another keyring" with 3 test cases passed after 0.1 seconds.
            ✘ Test "of a database" failed after 0.2 seconds with 1 issue.
            ✔ Test run with 4 tests in 1 suite passed after 1 seconds.
            """
        let both = try run("never-run", main, stores)
        #expect(both.status == 0)
        #expect(both.output == "2 tests ran in no step:\n  1: needs a keyring\n  1: no reason is given\n")
        #expect(try run("never-run", stores).output == "every test ran in a step\n")
        #expect(try run("never-run").status == 64)
    }

    @Test func `explain-log reports a crash's signal and its unfinished tests, regardless of later test runs`() throws {
        let log = """
            ◇ Test run started.
            ◇ Test "of a pipe" started.
            ◇ Test "of a file" started.
            ✔ Test "of a file" passed after 0.1 seconds.
            ◇ Test case passing 1 argument name error: Process '/a b/tests --filter X' exited with unexpected signal code 13
            → "a" to "of a pipe" started.
            ◇ Test run started.
            ◇ Test "of a socket" started.
            ✔ Test "of a socket" passed after 0.1 seconds.
            ✔ Test run with 1 test in 1 suite passed after 1 seconds.
            """
        let output = try run("explain-log", log).output
        #expect(
            output.hasPrefix(
                """
                error: Process exited with unexpected signal code 13
                did not end: "of a pipe"

                """
            )
        )
        #expect(!output.contains("did not end: \"of a file\"") && !output.contains("did not end: \"of a socket\""))
    }

    @Test func `explain-log names failed and unfinished tests regardless of a program's log lines`() throws {
        let log = """
            ◇ Test run started.
            ◇ Test "of a key" started.
            ✘ Test "of a key" recorded an issue at A.swift:1:2: it failed after all
            ✘ Test "of a key" with 2 test cases failed after 0.1 seconds with 1 issue.
            2026-11-28T01:24:04+0000 error backend: Server shutdown error: Already closed
            Test Case 'NotesTests.testSignIn' failed (0.1 seconds)
            ◇ Test "of a socket" started.
            """
        let names = try run("explain-log", options: ["--names"], log).output
        #expect(names == "did not end: \"of a socket\"\nfailed: \"of a key\"\nfailed: NotesTests.testSignIn\n")
        let short = try run("explain-log", options: ["--short"], log).output
        #expect(short.contains("recorded an issue at A.swift:1:2") && !short.contains("Already closed"))
        let many = (1...8).map { "✘ Test \"number \($0)\" failed after 0.1 seconds with 1 issue." }
        let some = try run("explain-log", options: ["--names"], many.joined(separator: "\n")).output
        #expect(some.hasSuffix("failed: \"number 6\"\nfailed: 2 more\n"))
    }

    @Test(arguments: [
        ("1.20", true), ("1.2", true), ("1.21", false), ("2.00", false),
    ])
    func `check-figures rejects a figure in prose that differs from its table`(figure: String, isRight: Bool) throws {
        let table = "| | CPU | GETs |\n|---|---|---|\n| **ours** | 60 µs | 53,666 |\n| theirs | 50 µs | 1 |\n\n"
        let prose = "It takes \(figure)<!-- = | ours | CPU / | theirs | CPU --> times as much.\n"
        #expect(try run("check-figures", table + prose).status == (isRight ? 0 : 1))
        #expect(try run("check-figures", table + "53,666<!-- = | ours | GETs --> GETs\n").status == 0)
        #expect(try run("check-figures", table + "60<!-- = | nobody | CPU --> µs\n").status == 1)
        #expect(try run("check-figures", table + "nothing is marked\n").status == 1)
    }
}
