// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetDatabase
import FreshetIdentity
import FreshetServer

/// `freshet users`: the accounts of a server, for its operator.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Lists the accounts in a server's data folder, and disables, enables or deletes one.",
        discussion: """
            Works while the server runs; the server applies the change within a second.

            Example:
              freshet users list --data ./freshet-data
              freshet users disable ann@example.com --data ./freshet-data
            """,
        subcommands: [List.self, Show.self, Disable.self, Enable.self, Delete.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists accounts in the order of sign-up.",
            discussion: "Example:\n  freshet users list --after 500 --json"
        )

        @OptionGroup var options: DataOptions

        @Option(help: "Start after the account with this number; a list has \(AdminService.page) at most.")
        var after: Int64 = 0

        func run() async throws {
            let users = try await DataOptions.withAdminService(options.folder) { try $0.users(after: after) }
            if options.json { try Output.json(users.map(UserView.init)) }
            if users.isEmpty {
                throw Output.nothing(after == 0 ? "There are no accounts." : "There are no more accounts.")
            }
            if options.json { return }
            for user in users { Output.line(UserView(user).line) }
            if users.count == AdminService.page, let last = users.last?.number {
                Output.note("There may be more: freshet users list --after \(last)")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows an account and its history.",
            discussion: "Example:\n  freshet users show ann@example.com"
        )

        @OptionGroup var options: DataOptions
        @Argument(help: "The account's address or id.") var email: String

        func run() async throws {
            let (user, events) = try await DataOptions.withAdminService(options.folder) { adminService in
                let user = try DataOptions.user(email, adminService)
                return (user, try adminService.events(of: user.id))
            }
            var view = UserView(user)
            view.events = events.map(EventView.init)
            if options.json { return try Output.json(view) }
            Output.line(view.line)
            for event in view.events ?? [] { Output.line("  \(event.line)") }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Ends an account's sessions and blocks its sign-in.",
            discussion: "Example:\n  freshet users disable ann@example.com"
        )

        @OptionGroup var options: DataOptions
        @Argument(help: "The account's address or id.") var email: String

        func run() async throws {
            let ended = try await DataOptions.withAdminService(options.folder) { adminService in
                try await adminService.disable(try DataOptions.user(email, adminService).id)
            }
            try UsersCommand.report("disabled", email, ended: ended, options)
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable",
            abstract: "Allows a disabled account to sign in again.",
            discussion: "Example:\n  freshet users enable ann@example.com"
        )

        @OptionGroup var options: DataOptions
        @Argument(help: "The account's address or id.") var email: String

        func run() async throws {
            try await DataOptions.withAdminService(options.folder) { adminService in
                try await adminService.enable(try DataOptions.user(email, adminService).id)
            }
            try UsersCommand.report("enabled", email, ended: nil, options)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Ends an account's sessions and deletes it.",
            discussion: """
                Its audit trail entries stay until they expire.

                Example:
                  freshet users delete ann@example.com
                """
        )

        @OptionGroup var options: DataOptions
        @Argument(help: "The account's address or id.") var email: String

        func run() async throws {
            let ended = try await DataOptions.withAdminService(options.folder) { adminService in
                try await adminService.delete(try DataOptions.user(email, adminService).id)
            }
            try UsersCommand.report("deleted", email, ended: ended, options)
        }
    }

    private static func report(_ what: String, _ email: String, ended: Int?, _ options: DataOptions) throws {
        struct Answer: Encodable {
            var user: String
            var done: String
            var sessionsEnded: Int

            private enum CodingKeys: String, CodingKey {
                case user, done
                case sessionsEnded = "sessions_ended"
            }
        }
        if options.json { return try Output.json(Answer(user: email, done: what, sessionsEnded: ended ?? 0)) }
        let sessions = ended.map { "; \($0) session\($0 == 1 ? "" : "s") ended" } ?? ""
        Output.note("\(email) is \(what)\(sessions).")
    }
}
