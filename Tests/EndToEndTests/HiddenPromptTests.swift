// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Testing

@testable import freshet

/// Prompts for passwords, which are not echoed.
@Suite(.timeLimit(.minutes(5))) struct `A hidden prompt` {
    private func typed(_ keys: String) -> (HiddenLine.State, String) {
        var line = HiddenLine()
        var state = HiddenLine.State.open
        for byte in keys.utf8 where state == .open { state = line.receive(byte) }
        return (state, line.text)
    }

    @Test(arguments: [
        ("secret\n", HiddenLine.State.complete, "secret"), ("secret\r", .complete, "secret"),
        ("se\u{3}cret\n", .interrupted, "se"), ("\u{4}", .closed, ""), ("secret\u{4}", .complete, "secret"),
        ("sé\u{7F}e\n", .complete, "se"), ("\u{8}a\n", .complete, "a"), ("wrong\u{15}right\n", .complete, "right"),
    ])
    func `a hidden prompt supports a terminal's keys for editing`(keys: String, state: HiddenLine.State, text: String) {
        #expect(typed(keys) == (state, text))
    }

    /// Starts `freshet operator password` on a terminal, and returns once it waits for a password.
    private func prompt(_ folder: URL) async throws -> (PseudoTerminal, Task<Int32, Never>) {
        try PrivateFiles.prepare(folder)
        let terminal = try PseudoTerminal()
        let status = try terminal.run(
            ["operator", "password", "--data", folder.path],
            environment: ["FRESHET_PASSWORD_COST": "10"]
        ).status
        while terminal.isInLineMode { await Task.yield() }
        return (terminal, status)
    }

    @Test func `a hidden prompt restores the terminal's mode at Ctrl-C, and reads a password without echo`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-prompt-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "operator.password").path
        let (first, interrupted) = try await prompt(folder)
        first.type("correct horse\u{3}")
        #expect(await interrupted.value == 128 + SIGINT)
        #expect(first.isInLineMode)
        #expect(!FileManager.default.fileExists(atPath: file))

        let (second, stored) = try await prompt(folder)
        second.type("correct horse battery\ncorrect horse battery\n")
        #expect(await stored.value == 0)
        #expect(FileManager.default.fileExists(atPath: file))
        for await line in second.lines { #expect(!line.contains("horse"), "the password is echoed") }
    }
}
