// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import GRDB

/// The state of a database's tables, and how they are brought up to date.
package struct SchemaMigrator: Sendable {
    /// One step of the tables' history.
    package struct Migration: Equatable, Sendable {
        package var name: String
        package var isApplied: Bool
        /// Whether an older server may go on working on the database after it.
        package var isOnlineSafe: Bool
    }

    /// Steps after which a server of the version before goes on working: they add, and change nothing that it uses.
    static let onlineSafe: Set<String> = [
        "1 users, sessions, codes", "2 proved addresses",
        "4 limits, spent proofs, places and devices of sign-ins", "5 events, disabled users, housekeeping",
        "6 sign-ins to pages",
        "7 figures over time", "8 runs of refreshes", "9 indices that a run leaves alone",
        "10 runs in their session's row", "13 keys in use", "14 mail queue", "15 known networks",
        "16 profiles",
    ]

    private let file: URL
    private let postgres: PostgresConfiguration?

    /// The schema of a folder's database, or of the one that is named.
    package init(in folder: URL, database: PostgresConfiguration? = nil) {
        file = folder.appending(path: "freshet.sqlite")
        postgres = database
    }

    /// Every step that this version knows.
    ///
    /// - Throws: `StartupError` without a database, or for one that a newer version wrote.
    package func steps() throws -> [Migration] {
        if let postgres {
            do { return try PostgresSchema.steps(try PostgresConnection(postgres)) } catch {
                throw DatabaseStartupError(postgres: error)
            }
        }
        guard FileManager.default.fileExists(atPath: file.path) else { throw DatabaseStartupError.noDatabase(file.path) }
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? database.close() }
        let migrator = SQLiteSchema.migrator
        let applied = try database.read { try migrator.appliedIdentifiers($0) }
        if let unknown = applied.subtracting(migrator.migrations).min() { throw DatabaseStartupError.newerSchema(unknown) }
        return migrator.migrations.map { name in
            Migration(name: name, isApplied: applied.contains(name), isOnlineSafe: Self.onlineSafe.contains(name))
        }
    }

    /// Takes the steps that are missing.
    ///
    /// - Returns: their names.
    package func migrate() throws -> [String] {
        if let postgres {
            do { return try PostgresSchema.migrate(try PostgresConnection(postgres)) } catch {
                throw DatabaseStartupError(postgres: error)
            }
        }
        let missing = try steps().filter { !$0.isApplied }.map(\.name)
        guard !missing.isEmpty else { return [] }
        // The log stays to a server that may run.
        try SQLiteDatabase(in: file.deletingLastPathComponent(), ownsWAL: false).detach()
        return missing
    }
}
