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

/// The operators' forms of `freshet sessions`: sessions in a server's data folder or database.
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

    /// Ends all sessions of a user, and returns their number.
    static func endAll(of email: String, in folder: URL) async throws -> Int {
        try await DataOptions.withAdminService(folder) { adminService in
            try await adminService.end(of: try DataOptions.user(email, adminService).id)
        }
    }

    /// Ends a session, and returns the number of sessions that ended.
    static func end(_ text: String, in folder: URL) async throws -> Int {
        let id = try id(text)
        return try await DataOptions.withAdminService(folder) { adminService in
            guard let (row, _) = try adminService.session(id) else {
                throw ToolError.usage("there is no session \(id)")
            }
            return try await adminService.end(of: row.user, only: id)
        }
    }

    private static func id(_ text: String) throws -> SessionID {
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
}
