// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// Colours and weights, which the tool writes to a terminal only.
@Suite(.timeLimit(.minutes(5)))
struct `On a terminal` {
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
}
