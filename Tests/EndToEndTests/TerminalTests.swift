// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetCommandLine
import NIOConcurrencyHelpers
import Testing

@testable import freshet

/// Colours and progress, which the tool writes to a terminal only.
@Suite(.timeLimit(.minutes(5)))
struct `Terminal output` {
    private static let script = URL(filePath: "/usr/bin/script")

    /// Returns what the tool writes to a terminal.
    private func typescript(_ command: String, _ environment: [String: String]) async throws -> String {
        let line = "exec '\(TestEnvironment.program.path)' \(command)"
        let ending = try await ChildProcess(
            ["--quiet", "--return", "--command", line, "/dev/null"],
            program: Self.script,
            environment: ["TERM": "xterm"].merging(environment) { $1 },
            input: ""
        ).wait()
        #expect(ending.status == 0)
        return ending.output
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: Self.script.path), "script is not installed"))
    func `the header of a table is bold, unless NO_COLOR is set or the terminal is dumb`() async throws {
        #expect(try await typescript("contract list", ["NO_COLOR": ""]).hasPrefix("\u{1B}[1mname "))
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = try await typescript("contract list", environment)
            #expect(plain.hasPrefix("name ") && !plain.contains("\u{1B}"))
        }
        #expect(try await !Tool.run(["contract", "list"]).output.contains("\u{1B}"))
    }

    @Test func `a child process that exits before it reads its input causes no error in its parent`() async throws {
        // More than a pipe holds.
        let input = String(repeating: "x", count: 1 << 20)
        let ending = try await ChildProcess([], program: URL(filePath: "/bin/false"), input: input).wait()
        #expect(ending.status == 1)
    }

    @Test func `progress is drawn while an operation takes long, and erased at its end`() async throws {
        let (drawings, drawn) = AsyncStream.makeStream(of: String.self)
        // A drawing is repeated each second, until there is another one.
        func next(after last: String = "") async -> String? { await drawings.first { $0 != last } }
        let value = await ProgressLine.during({ "begun" }, isShown: true, delay: 0, write: { drawn.yield($0) }) {
            line in
            #expect(await next() == "\r\u{1B}[Kbegun")
            line.show("half")
            #expect(await next(after: "\r\u{1B}[Kbegun") == "\r\u{1B}[Khalf")
            return 7
        }
        #expect(value == 7)
        #expect(await next(after: "\r\u{1B}[Khalf") == "\r\u{1B}[K")
    }

    @Test(arguments: [(true, 3600.0), (false, 0.0)])
    func `progress is not drawn for a short operation, nor without a terminal`(isShown: Bool, delay: Double)
        async
    {
        let written = NIOLockedValueBox<[String]>([])
        await ProgressLine.during(
            { "begun" },
            isShown: isShown,
            delay: delay,
            write: { text in written.withLockedValue { $0.append(text) } }
        ) { _ in }
        #expect(written.withLockedValue { $0 } == [])
    }
}
