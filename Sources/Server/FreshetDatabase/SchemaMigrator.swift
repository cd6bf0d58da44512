// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetSystem

/// Reads the status of a database's schema, and executes missing migrations.
package struct SchemaMigrator: Sendable {
    package typealias Status = MigrationStatus

    private let file: URL
    private let postgres: PostgresConfiguration?

    /// Creates a migrator for a folder's SQLite database, or for the given PostgreSQL database.
    package init(in folder: URL, database: PostgresConfiguration? = nil) {
        file = folder.appending(path: "freshet.sqlite")
        postgres = database
    }

    /// Returns the status of every migration that this version knows.
    ///
    /// - Throws: `DatabaseStartupError` without a database, or for one that a newer version wrote.
    package func status() throws -> [Status] {
        if let postgres {
            do { return try PostgresSchema.status(try PostgresConnection(postgres)) } catch {
                throw DatabaseStartupError(postgres: error)
            }
        }
        return try SQLiteSchema.status(of: file)
    }

    /// Executes the missing migrations, up to `last` or all.
    ///
    /// - Returns: The executed migrations.
    /// - Throws: `DatabaseStartupError` without a database, or for one that a newer version wrote.
    package func migrate(upTo last: SchemaMigration? = nil) throws -> [SchemaMigration] {
        if let postgres {
            do { return try PostgresSchema.migrate(try PostgresConnection(postgres), upTo: last) } catch {
                throw DatabaseStartupError(postgres: error)
            }
        }
        let missing = try status().missing(upTo: last)
        guard !missing.isEmpty else { return [] }
        // The WAL belongs to a server that may be running.
        try SQLiteDatabase(in: file.deletingLastPathComponent(), migratesUpTo: last, ownsWAL: false).detach()
        return missing
    }
}
