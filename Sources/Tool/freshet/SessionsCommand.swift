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
            For operators: with --user, lists the sessions of any user in a server's data folder.

            Example:
              freshet sessions
              freshet sessions end 00112233-4455-6677-8899-aabbccddeeff
              freshet sessions list --user ann@example.com --data ./freshet-data
              freshet sessions show 00112233-4455-6677-8899-aabbccddeeff --data ./freshet-data
            """,
        subcommands: [
            ListCommand.self, EndCommand.self, SessionAdminCommands.ShowCommand.self,
        ],
        defaultSubcommand: ListCommand.self
    )

    /// The help of `--data`, in the commands that users have, too.
    private static let folderHelp: ArgumentHelp =
        "For operators: the server's data folder (default: FRESHET_DATA, else freshet-data)."

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the user's sessions on all devices.",
            discussion: """
                For operators: with --user, lists the sessions of a user in a server's data folder, or in the database \
                that FRESHET_DATABASE names.

                Example:
                  freshet sessions list --json
                  freshet sessions list --user ann@example.com --data ./freshet-data
                """
        )

        @OptionGroup var options: ProfileOptions

        @Option(help: SessionsCommand.folderHelp, completion: .directory)
        var data: String?

        @Option(help: "For operators: the address of the user whose sessions are listed.")
        var user: String?

        func run() async throws {
            if let user {
                return try await SessionAdminCommands.list(of: user, in: DataOptions.folder(data), json: options.json)
            }
            guard data == nil else { throw ToolError.usage("--data needs --user") }
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

    struct EndCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end",
            abstract: "Ends one of the user's sessions.",
            discussion: """
                For operators: with --data, FRESHET_DATA or FRESHET_DATABASE, ends a session of any user in a server's \
                data folder or database; with --user, all sessions of a user.

                Example:
                  freshet sessions end 00112233-4455-6677-8899-aabbccddeeff
                  freshet sessions end 00112233-4455-6677-8899-aabbccddeeff --data ./freshet-data
                  freshet sessions end --all --user ann@example.com --data ./freshet-data
                """
        )

        @OptionGroup var options: ProfileOptions

        @Argument(help: "The session's id, as shown by `list`.")
        var id: String?

        @Option(
            help: """
                For operators: the server's data folder. Without it, and without FRESHET_DATA and FRESHET_DATABASE, a \
                session of the signed-in user ends.
                """,
            completion: .directory
        )
        var data: String?

        @Option(help: "For operators: the address of the user whose sessions are ended; needs --all.")
        var user: String?

        @Flag(help: "For operators: end all sessions of the user.")
        var all = false

        func validate() throws {
            guard (id != nil) != (all && user != nil), id == nil || (!all && user == nil) else {
                throw ValidationError("give either a session id, or --all and --user")
            }
        }

        func run() async throws {
            if let user {
                let ended = try await SessionAdminCommands.endAll(of: user, in: DataOptions.folder(data))
                return try report(ended)
            }
            guard let id else { return }
            if data != nil || DataOptions.isServerNamed {
                return try report(try await SessionAdminCommands.end(id, in: DataOptions.folder(data)))
            }
            let session = try options.value.session()
            let isCurrent = session.status.sessionID == id
            try await ServerCall.perform { try await session.endSession(id: id) }
            try report(1)
            if isCurrent, !options.json { Output.note("It was this machine's: sign in again with freshet login.") }
        }

        private func report(_ ended: Int) throws {
            if options.json { try Output.json(["ended": ended]) }
            if ended == 0 { throw Output.nothing("There was no live session to end.") }
            if options.json { return }
            Output.note("Ended \(ended) session\(ended == 1 ? "" : "s").")
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
