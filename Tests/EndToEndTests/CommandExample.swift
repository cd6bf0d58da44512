// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import freshet

/// A command line that may be run several times, and the form of its output.
struct CommandExample: Sendable {
    var path: [String]
    /// Whether it prints something without `--json`.
    var printsText = true
    /// Whether it prints a JSON document for each line, and not one for all.
    var printsLines = false
    var status: Int32 = 0
    var arguments: @Sendable (CommandScene) async throws -> [String] = { _ in [] }
    var input: @Sendable (CommandScene) throws -> String = { _ in "" }

    /// Commands whose output is tested elsewhere: the demo takes half a minute.
    static let elsewhere = [["demo"]]

    /// The examples, in the order in which they are run: the last one signs out.
    static let all =
        client + contracts + operators + keys + [
            CommandExample(path: ["logout"], printsText: false, arguments: { try await $0.signIn() })
        ]

    private static let client = [
        CommandExample(path: ["serve"], arguments: { _ in ["--print-config"] }),
        CommandExample(
            path: ["login"],
            printsText: false,
            arguments: { ["--server", try $0.server, "--email", CommandScene.email, "--password-stdin"] },
            input: { _ in CommandScene.password }
        ),
        CommandExample(path: ["token"]),
        CommandExample(path: ["request"], arguments: { _ in ["GET", "/v1/me"] }),
        CommandExample(path: ["request"], status: 1, arguments: { _ in ["GET", "/v1/nothing"] }),
        CommandExample(path: ["status"]),
        CommandExample(path: ["watch"], arguments: { _ in ["--once"] }),
        CommandExample(path: ["init"], arguments: { _ in ["--answer", "nothing"] }),
        CommandExample(path: ["sessions", "list"]),
        CommandExample(path: ["sessions", "end"], printsText: false, arguments: { [try await $0.otherSession()] }),
        CommandExample(path: ["decode"], input: { $0.token }),
        CommandExample(path: ["decode"], input: { $0.refreshToken }),
        CommandExample(path: ["verify"], printsLines: true, arguments: { $0.rules }, input: { $0.token }),
        CommandExample(
            path: ["verify"],
            printsLines: true,
            status: 1,
            arguments: { $0.rules },
            input: { $0.token + "nonsense\n" }
        ),
    ]

    private static let contracts = [
        CommandExample(path: ["contract", "list"]),
        CommandExample(path: ["contract", "show"], arguments: { _ in ["simplejwt"] }),
        CommandExample(path: ["contract", "explain"], arguments: { _ in ["simplejwt"] }),
        CommandExample(path: ["contract", "lint"], printsLines: true, arguments: { _ in ["simplejwt", "fastapi"] }),
        CommandExample(
            path: ["contract", "test"],
            arguments: {
                // The test signs in with a wrong password as well, and the server limits these attempts.
                $0.world.advanceServer(by: .seconds(3600))
                let account = ["--email", CommandScene.email, "--password-stdin", "--longest-wait", "0s"]
                return ["freshet", "--base-url", try $0.server] + account
            },
            input: { _ in CommandScene.password }
        ),
    ]

    private static let operators = [
        CommandExample(path: ["users", "list"], arguments: { $0.data }),
        CommandExample(path: ["users", "list"], arguments: { $0.data + ["--search", "cob"] }),
        CommandExample(path: ["users", "show"], arguments: { [CommandScene.email] + $0.data }),
        CommandExample(path: ["users", "disable"], printsText: false, arguments: { ["bob@example.com"] + $0.data }),
        CommandExample(path: ["users", "enable"], printsText: false, arguments: { ["bob@example.com"] + $0.data }),
        CommandExample(
            path: ["users", "delete"],
            printsText: false,
            arguments: { [try await $0.otherUser()] + $0.data }
        ),
        CommandExample(
            path: ["sessions", "list"],
            arguments: { ["--user", CommandScene.email] + $0.data }
        ),
        CommandExample(path: ["sessions", "show"], arguments: { [try await $0.otherSession()] + $0.data }),
        CommandExample(
            path: ["sessions", "end"],
            printsText: false,
            arguments: { [try await $0.otherSession()] + $0.data }
        ),
        CommandExample(
            path: ["operator", "password"],
            printsText: false,
            arguments: { $0.data },
            input: { _ in "correct horse battery\n" }
        ),
        CommandExample(path: ["migrate", "status"], arguments: { $0.data }),
        CommandExample(path: ["migrate", "up"], printsText: false, arguments: { $0.data }),
        CommandExample(
            path: ["backup"],
            printsText: false,
            arguments: { ["\($0.world.folder.path)/\(UUID()).sqlite"] + $0.data }
        ),
        // The scene's server is running.
        CommandExample(
            path: ["restore"],
            printsText: false,
            status: 6,
            arguments: { [try await $0.backup()] + $0.data }
        ),
        CommandExample(path: ["client-secret"]),
    ]

    private static let keys = [
        CommandExample(path: ["keys", "list"], arguments: { $0.data }),
        CommandExample(path: ["keys", "add"], arguments: { ["es256"] + $0.data }),
        CommandExample(
            path: ["keys", "rotate"],
            arguments: { ["mac"] + (try await $0.withoutPlannedKey()) }
        ),
        CommandExample(
            path: ["keys", "promote"],
            printsText: false,
            arguments: { ["es256", try await $0.newKey(), "--force"] + $0.data }
        ),
        CommandExample(
            path: ["keys", "retire"],
            printsText: false,
            arguments: { ["es256", try await $0.newKey()] + $0.data }
        ),
    ]
}
