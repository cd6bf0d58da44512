// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetKit

/// `freshet sessions`: lists or ends the user's sessions.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists the user's sessions on all devices, or ends one.",
        discussion: """
            For operators: with --data, lists the sessions of any user in a server's data folder.

            Example:
              freshet sessions
              freshet sessions revoke 00112233-4455-6677-8899-aabbccddeeff
              freshet sessions list --user ann@example.com --data ./freshet-data
              freshet sessions show 00112233-4455-6677-8899-aabbccddeeff --data ./freshet-data
            """,
        subcommands: [
            ListCommand.self, RevokeCommand.self, SessionAdminCommands.ShowCommand.self,
            SessionAdminCommands.EndCommand.self,
        ],
        defaultSubcommand: ListCommand.self
    )

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the user's sessions on all devices.",
            discussion: "Example:\n  freshet sessions list --json"
        )

        @OptionGroup var options: ProfileOptions

        @Option(help: "For operators: the server's data folder.", completion: .directory)
        var data: String?

        @Option(help: "For operators: the address of the user whose sessions are listed; needs --data.")
        var user: String?

        func run() async throws {
            if let data {
                guard let user else { throw ToolError.usage("--data needs --user") }
                return try await SessionAdminCommands.list(of: user, in: DataOptions.folder(data), json: options.json)
            }
            guard user == nil else { throw ToolError.usage("--user needs --data") }
            let session = try options.value.session()
            let devices = try await ServerCall.perform { try await session.devices() }
            if options.json { try Output.json(devices.map(View.init)) }
            if devices.isEmpty { throw Output.nothing("There are no sessions.") }
            if options.json { return }
            let rows = devices.map { device in
                let name = Printable.text(device.device.name ?? device.device.platform ?? "unnamed device")
                return [device.id, name, RelativeTime.text(to: device.lastUsedAt), device.isCurrent ? "this one" : ""]
            }
            Output.table(["id", "device", "used", ""], rows)
        }
    }

    struct RevokeCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Ends one of the user's sessions.",
            discussion: "Example:\n  freshet sessions revoke 00112233-4455-6677-8899-aabbccddeeff"
        )

        @OptionGroup var options: ProfileOptions

        @Argument(help: "The session's id, as shown by `list`.")
        var id: String

        func run() async throws {
            let session = try options.value.session()
            try await ServerCall.perform { try await session.endSession(id: id) }
            if options.json { try Output.json(["revoked": id]) } else { Output.note("Ended session \(id).") }
        }
    }

    private struct View: Encodable {
        var id: String
        var current: Bool
        var name: String?
        var platform: String?
        var createdAt: Date
        var lastUsedAt: Date
        var expiresAt: Date

        init(_ device: DeviceSession) {
            id = device.id
            current = device.isCurrent
            name = device.device.name
            platform = device.device.platform
            createdAt = device.createdAt
            lastUsedAt = device.lastUsedAt
            expiresAt = device.expiresAt
        }

        private enum CodingKeys: String, CodingKey {
            case id, current, name, platform
            case createdAt = "created_at"
            case lastUsedAt = "last_used_at"
            case expiresAt = "expires_at"
        }
    }
}
