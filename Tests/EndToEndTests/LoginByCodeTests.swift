// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// The tool's sign-in by a mailed code, at a server that writes codes to its log.
@Suite(.timeLimit(.minutes(5)))
struct `A login by code` {
    private func code(in world: TestEnvironment) throws -> String {
        let log = try String(contentsOf: world.folder.appending(path: "server.log"), encoding: .utf8)
        return String(try #require(log.matches(of: /"code":"(\d+)"/).last?.1))
    }

    @Test func `a login by code prints a warning before its code removes the password`() async throws {
        try await TestEnvironment.live { world in
            let account = ["login", "--server", try world.address.absoluteString, "--email", "ann@example.com"]
            let password = "correct horse\n"
            #expect(try await world.tool(account + ["--password-stdin", "--sign-up"], input: password).status == 0)

            let begun = try await world.tool(account)
            #expect(begun.status == 4)
            #expect(
                begun.notes.hasPrefix(
                    "freshet: if no code was used for ann@example.com before, this code removes the password"
                )
            )
            // The password works until the code is used.
            #expect(try await world.tool(account + ["--password-stdin"], input: password).status == 0)
            #expect(try await world.tool(account).status == 4)
            #expect(try await world.tool(["login", "--code", try code(in: world)]).status == 0)
            #expect(try await world.tool(account + ["--password-stdin"], input: password).status == 4)

            let again = try await world.tool(account)
            #expect(again.status == 4 && !again.notes.contains("password"))
        }
    }
}
