// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetDatabase
import FreshetEngine
import FreshetIdentity
import FreshetServer
import FreshetWire

/// The operator's form of `freshet sessions`, with `--data`: sessions in a server's data folder.
enum SessionAdminCommands {
    static func list(of email: String, in folder: URL, json: Bool) async throws {
        let views = try await DataOptions.withAdminService(folder) { adminService in
            let now = Timestamp.system()
            return try adminService.sessions(of: try DataOptions.user(email, adminService).id).map {
                SessionView($0, now: now)
            }
        }
        if json { try Output.json(views) }
        if views.isEmpty { throw Output.nothing("This user has no sessions.") }
        if !json { Output.table(SessionView.columns, views.map(\.cells)) }
    }

    static func id(_ text: String) throws -> SessionID {
        guard let id = SessionID(text) else { throw ToolError.usage("\(text) is not a session id") }
        return id
    }

    struct ShowCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "For operators: shows the history of a session, and why it ended.",
            discussion: "Example:\n  freshet sessions show 00112233-4455-6677-8899-aabbccddeeff --data ./freshet-data"
        )

        @OptionGroup var options: DataOptions
        @Argument(help: "The session's id.") var id: String

        func run() async throws {
            let id = try SessionAdminCommands.id(id)
            let found = try await DataOptions.withAdminService(options.folder) { try $0.session(id) }
            guard let (row, timeline) = found else { throw ToolError.usage("there is no session \(id)") }
            var view = SessionView(row, now: Timestamp.system())
            view.endedAt = timeline.endedAt?.date
            view.why = timeline.why
            view.timeline = timeline.entries.map {
                SessionView.Entry(at: $0.at.date, text: $0.text, source: $0.source)
            }
            if options.json { return try Output.json(view) }
            Output.table(SessionView.columns, [view.cells])
            Output.line("\n\(timeline.why)\n")
            let rows = (view.timeline ?? []).map {
                [$0.at.ISO8601Format(), Printable.text($0.source ?? ""), Printable.text($0.text)]
            }
            Output.table(["time", "from", "event"], rows)
        }
    }

    struct EndCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end",
            abstract: "For operators: ends a session, or all sessions of a user.",
            discussion: """
                Example:
                  freshet sessions end 00112233-4455-6677-8899-aabbccddeeff --data ./freshet-data
                  freshet sessions end --all --user ann@example.com --data ./freshet-data
                """
        )

        @OptionGroup var options: DataOptions
        @Argument(help: "The session's id.") var id: String?
        @Flag(help: "All sessions of the user.") var all = false
        @Option(help: "The user's address.") var user: String?

        func validate() throws {
            guard (id != nil) != (all && user != nil), id == nil || (!all && user == nil) else {
                throw ValidationError("give either a session id, or --all and --user")
            }
        }

        func run() async throws {
            let ended = try await DataOptions.withAdminService(options.folder) { adminService in
                if let user { return try await adminService.end(of: try DataOptions.user(user, adminService).id) }
                let id = try SessionAdminCommands.id(id ?? "")
                guard let (row, _) = try adminService.session(id) else {
                    throw ToolError.usage("there is no session \(id)")
                }
                return try await adminService.end(of: row.user, only: id)
            }
            if options.json { try Output.json(["ended": ended]) }
            if ended == 0 { throw Output.nothing("There was no live session to end.") }
            if options.json { return }
            Output.note("Ended \(ended) session\(ended == 1 ? "" : "s").")
        }
    }
}
