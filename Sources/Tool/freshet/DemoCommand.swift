// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `freshet demo`: demonstrates network faults and a token theft in half a minute.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows a session survive what signs people out elsewhere, and catch a thief.",
        discussion: """
            Starts a real server on loopback with a database of its own, puts a network in front of it that loses \
            answers, and runs the SDK and this tool against it. The exit status is 0 only if every promise held.

            Example:
              freshet demo --plain
            """
    )

    @Flag(help: "Plain lines, as when the output is no terminal.")
    var plain = false

    @Flag(help: "Print the counts as JSON at the end, and nothing else on standard output.")
    var json = false

    func run() async throws {
        let isTerminal = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        let view = DemoView(isLive: isTerminal && !plain && !json, isSilent: json)
        let verdict = try await Demo(view: view).run()
        if json { try Output.json(verdict) } else { verdict.table.forEach(Output.line) }
        if !verdict.holds { throw ExitCode(1) }
    }
}
