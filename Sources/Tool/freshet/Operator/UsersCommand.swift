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
            discussion: """
                Example:
                  freshet users list --search ann@ --data ./freshet-data
                  freshet users list --limit 50 --after 500 --json
                  freshet users list --all --json
                """
        )

        @OptionGroup var options: DataOptions

        @Option(help: "Only accounts whose address or id begins with this text.")
        var search: String?

        @Option(help: "Start after the account with this number.")
        var after: Int64 = 0

        @Option(help: "The maximum number of accounts.")
        var limit = AdminService.page

        @Flag(help: "List all accounts.")
        var all = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be greater than zero") }
            guard !all || limit == AdminService.page else {
                throw ValidationError("--all and --limit cannot be combined")
            }
        }

        func run() async throws {
            // One more than the limit, to know whether there are more.
            let wanted = all ? Int.max : limit < Int.max ? limit + 1 : limit
            var users = try await DataOptions.withAdminService(options.folder) { adminService in
                var users: [AdminService.Account] = []
                while users.count < wanted {
                    let page = try adminService.users(
                        beginning: search,
                        after: users.last?.number ?? after,
                        limit: min(AdminService.page, wanted - users.count)
                    )
                    users += page
                    if page.isEmpty { break }
                }
                return users
            }
            let hasMore = !all && users.count > limit
            if hasMore { users.removeLast(users.count - limit) }
            if options.json { try Output.json(users.map(UserView.init)) }
            guard let last = users.last?.number else {
                let matching = search.map { "whose address or id begins with \($0)" }
                let kind = [after == 0 ? "accounts" : "more accounts", matching].compactMap(\.self)
                throw Output.nothing("There are no \(kind.joined(separator: " ")).")
            }
            if !options.json { Output.table(UserView.columns, users.map { UserView($0).cells }, right: [0, 2]) }
            if hasMore { Output.note("There are more: --after \(last) goes on, --all lists them all.") }
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
            Output.table(UserView.columns, [view.cells], right: [0, 2])
            guard let events = view.events, !events.isEmpty else { return }
            Output.line("")
            Output.table(EventView.columns, events.map(\.cells))
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
