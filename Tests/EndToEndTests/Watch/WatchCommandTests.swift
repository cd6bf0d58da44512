// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Testing

@testable import freshet

/// `freshet watch` as a process, beside other processes with the same profile.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `freshet watch` {
    private func signUp(_ world: TestEnvironment) async throws {
        let account = ["login", "--server", try world.address.absoluteString, "--email", "ann@example.com"]
        let ending = try await world.tool(account + ["--password-stdin", "--sign-up"], input: "correct horse\n")
        #expect(ending.status == 0, "\(ending.notes)")
    }

    private func environment(_ world: TestEnvironment) -> [String: String] {
        let home = world.folder.appending(path: "home").path
        return [
            "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state", "FRESHET_STORE": "plain-file",
        ]
    }

    private func watch(_ world: TestEnvironment, _ options: [String] = []) throws -> ChildProcess {
        try ChildProcess(["watch"] + options, program: TestEnvironment.program, environment: environment(world))
    }

    private func nextLine(of process: ChildProcess) async throws -> String {
        try #require(await process.lines.first { _ in true })
    }

    @Test func `the watch command prints each change as a line in a pipe, including changes by another process`()
        async throws
    {
        try await TestEnvironment.live { world in
            try await signUp(world)
            let watch = try watch(world)
            let first = try await nextLine(of: watch)
            #expect(first.contains("  Signed in as ann@example.com; access token valid until "))
            #expect(first.contains("; next refresh at "))

            #expect(try await world.tool(["token", "--refresh"]).status == 0)
            let adopted = try await nextLine(of: watch)
            #expect(adopted.hasSuffix("  Access token loaded from the store: another process refreshed it."))
            let token = try await nextLine(of: watch)
            #expect(token.contains("  Access token valid until "), "\(token)")
            #expect(try await world.tool(["logout"]).status == 0)
            let signedOut = try await nextLine(of: watch)
            #expect(signedOut.contains("  Signed out"), "\(signedOut)")

            watch.signal(SIGINT)
            let ending = await watch.wait()
            #expect(ending.status == 0)
            #expect(!ending.output.contains("\u{1B}") && !ending.output.contains("frt_"))
            // The refresh of the other process is the only one.
            #expect(world.counts.refreshesServed == 1)
        }
    }

    @Test func `the watch command with --json prints a sign-in by another process as JSON with the state`() async throws
    {
        try await TestEnvironment.live { world in
            try await signUp(world)
            #expect(try await world.tool(["logout"]).status == 0)
            let watch = try watch(world, ["--json"])
            func next() async throws -> [String: String] {
                let line = try await nextLine(of: watch)
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return try #require(object).compactMapValues { $0 as? String }
            }
            let first = try await next()
            #expect(first["event"] == "status" && first["state"] == "signed_out")
            let account = ["login", "--email", "ann@example.com", "--password-stdin"]
            #expect(try await world.tool(account, input: "correct horse\n").status == 0)
            var entry = try await next()
            while entry["event"] != "access_token" { entry = try await next() }
            #expect(entry["state"] == "signed_in")
            #expect(entry["access_token_expires_at"] != nil && entry["next_refresh_at"] != nil)
            await watch.terminate()
        }
    }

    @Test func `watch --once prints the state without a request, and exits with 0 only if a user is signed in`()
        async throws
    {
        try await TestEnvironment.live { world in
            #expect(try await world.tool(["watch", "--once"]).status == 4)
            try await signUp(world)
            let requests = world.counts.requests
            let once = try await world.tool(["watch", "--once"])
            #expect(once.status == 0)
            #expect(once.output.contains("session       signed in as ann@example.com"))
            #expect(once.output.contains("access token  valid until "))
            let json = try await world.tool(["watch", "--once", "--json"])
            #expect(json.object?["state"] as? String == "signed_in")
            #expect(world.counts.requests == requests)
            #expect(try await world.tool(["logout"]).status == 0)
            #expect(try await world.tool(["watch", "--once"]).status == 4)
        }
    }

    @Test func `the watch command redraws in place on a terminal, and restores the terminal on SIGINT or q`()
        async throws
    {
        try await TestEnvironment.live { world in
            try await signUp(world)
            for end in ["SIGINT", "q"] {
                let terminal = try PseudoTerminal()
                #expect(terminal.isInLineMode)
                let (process, status) = try terminal.run(["watch"], environment: environment(world))
                var lines = terminal.lines.makeAsyncIterator()
                // The second frame moves the cursor up, to where the first one began.
                while let line = await lines.next(), !line.contains(/\e\[\d+A\e\[2KFreshet  profile default/) {}
                #expect(!terminal.isInLineMode)
                if end == "q" { terminal.type("q") } else { process.signal(SIGINT) }
                #expect(await status.value == 0)
                #expect(terminal.isInLineMode)
            }
        }
    }
}
