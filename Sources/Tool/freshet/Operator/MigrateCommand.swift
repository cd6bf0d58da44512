// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetDatabase
import FreshetServer
import FreshetSystem

/// `freshet migrate`: shows or upgrades the schema of a database.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Lists a database's schema migrations, or applies them.",
        discussion: """
            A server applies migrations when it starts. Migrations cannot be undone; to go back, restore a backup.

            Example:
              freshet migrate status --data ./freshet-data
              freshet migrate up --data ./freshet-data
            """,
        subcommands: [Status.self, Up.self],
        defaultSubcommand: Status.self
    )

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Lists the migrations, applied or not.",
            discussion: "Example:\n  freshet migrate status --json"
        )

        @OptionGroup var options: DataOptions

        func run() throws {
            let steps = try MigrateCommand.steps(options.folder)
            if options.json { return try Output.json(steps.map(View.init)) }
            let rows = steps.map { step in
                let safety = step.migration.isOnlineSafe ? "while a server runs" : "with servers stopped"
                return step.isApplied
                    ? ["done", "\(step.migration)", ""] : ["missing", "\(step.migration)", "apply \(safety)"]
            }
            Output.table(["state", "migration", ""], rows)
        }
    }

    struct Up: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "up",
            abstract: "Applies the missing migrations.",
            discussion: "Example:\n  freshet migrate up --data ./freshet-data"
        )

        @OptionGroup var options: DataOptions

        func run() async throws {
            let missing = try MigrateCommand.steps(options.folder).filter { !$0.isApplied }
            for step in missing where !step.migration.isOnlineSafe {
                Output.note("\(step.migration): an older server must not keep using this database")
            }
            var done: [SchemaMigration] = []
            do {
                let migrator = SchemaMigrator(in: options.folder, database: try DataOptions.database())
                try await ProgressLine.during({ "" }) { progress in
                    for (index, step) in missing.enumerated() {
                        progress.show("migration \(step.migration), \(index + 1) of \(missing.count)")
                        done += try migrator.migrate(upTo: step.migration)
                    }
                }
            } catch let
                error as any StartupError
            {
                throw ToolError(error)
            } catch {
                throw ToolError.unusable(options.folder, error)
            }
            if options.json { return try Output.json(["done": done.map(\.description)]) }
            Output.note(
                done.isEmpty
                    ? "The database is up to date." : "Done: \(done.map(\.description).joined(separator: "; "))."
            )
        }
    }

    private static func steps(_ folder: URL) throws -> [SchemaMigrator.Status] {
        do { return try SchemaMigrator(in: folder, database: try DataOptions.database()).status() } catch let error
            as any StartupError
        {
            throw ToolError(error)
        } catch {
            throw ToolError.unusable(folder, error)
        }
    }

    private struct View: Encodable {
        var name: String
        var done: Bool
        var online: Bool

        init(_ step: SchemaMigrator.Status) {
            name = step.migration.description
            done = step.isApplied
            online = step.migration.isOnlineSafe
        }
    }
}
