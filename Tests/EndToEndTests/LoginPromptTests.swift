// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Testing

@testable import freshet

/// `freshet login` on a terminal, with a server that mails codes.
@Suite(.timeLimit(.minutes(5))) final class `The prompt for a mailed code` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-prompt-\(UUID())")
    private let server: PseudoTerminal
    private let address: String
    private let process: Subprocess

    init() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        server = try PseudoTerminal()
        let data = folder.appending(path: "data").path
        process = try server.run(["serve", "--dev", "--port", "0", "--data", data]).process
        let line = await server.lines.first { $0.contains("listening on ") }
        address = try #require(line?.split(separator: " ").last.map(String.init))
    }

    deinit {
        process.signal(SIGTERM)
        try? FileManager.default.removeItem(at: folder)
    }

    private func login() throws -> (terminal: PseudoTerminal, status: Task<Int32, Never>) {
        let terminal = try PseudoTerminal()
        let status = try terminal.run(
            ["login", "--server", address, "--email", "ann@example.com", "--store", "plain-file"],
            environment: ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path]
        ).status
        return (terminal, status)
    }

    private func code() async throws -> String {
        let line = await server.lines.first { $0.contains("Login code for ann@example.com: ") }
        return String(try #require(line?.split(separator: " ").last))
    }

    @Test func `the prompt for a mailed code accepts the right code after a wrong one`() async throws {
        let (terminal, status) = try login()
        let code = try await code()
        terminal.type(code == "000000" ? "111111\n" : "000000\n")
        _ = try #require(await terminal.lines.first { $0.contains("(invalid_grant)") })
        terminal.type("\(code)\n")
        _ = try #require(await terminal.lines.first { $0.contains("Signed in as ann@example.com") })
        #expect(await status.value == 0)
    }

    @Test func `login exits with 4 after five wrong codes`() async throws {
        let (terminal, status) = try login()
        let code = try await code()
        for _ in 0..<5 { terminal.type(code == "000000" ? "111111\n" : "000000\n") }
        #expect(await status.value == 4)
    }

    @Test func `login exits with 64 if the user types an empty line instead of a mailed code`() async throws {
        let (terminal, status) = try login()
        terminal.type("\n")
        #expect(await status.value == 64)
    }
}
