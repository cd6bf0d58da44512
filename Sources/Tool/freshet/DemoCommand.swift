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
        abstract: "Shows that a session survives lost responses, kills and races, and detects a stolen token.",
        discussion: """
            Starts a real server on loopback with its own database, puts a proxy in front of it that drops responses, \
            and runs the SDK and this tool against it. Exits with 0 only if every scenario passed.

            Example:
              freshet demo --plain
            """
    )

    @Flag(help: "Print plain lines, as when the output is not a terminal.")
    var plain = false

    @Flag(help: "Print the counts as JSON at the end, and nothing else on standard output.")
    var json = false

    func run() async throws {
        let isTerminal = TextStyle.isTerminal(STDOUT_FILENO)
        let view = DemoView(isLive: isTerminal && !plain && !json, isSilent: json)
        let verdict = try await Demo(view: view).run()
        if json { try Output.json(verdict) } else { verdict.table.forEach(Output.line) }
        if !verdict.holds { throw ExitCode(1) }
    }
}
