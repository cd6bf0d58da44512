// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetSystem
import GRDB

/// Reads the status of a database's schema, and executes missing migrations.
package struct SchemaMigrator: Sendable {
    /// A migration, and whether a database has executed it.
    package struct Status: Equatable, Sendable {
        package var migration: SchemaMigration
        package var isApplied: Bool
    }

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
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw DatabaseStartupError.noDatabase(file.path)
        }
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? database.close() }
        return try SQLiteSchema.status(database)
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

extension SchemaMigrator {
    /// Returns the status of every migration, given the names that a database has recorded.
    ///
    /// - Parameters:
    ///   - recorded: The recorded names.
    ///   - engine: The engine that recorded them.
    /// - Returns: The status of every migration that this version knows.
    /// - Throws: `DatabaseStartupError.newerSchema` for a name that this version does not know.
    static func status(recorded: Set<String>, on engine: SchemaMigration.Engine) throws(DatabaseStartupError)
        -> [Status]
    {
        let known = SchemaMigration.all.map { $0.script(for: engine).recordedName }
        if let unknown = recorded.subtracting(known).min() { throw .newerSchema(unknown) }
        return zip(SchemaMigration.all, known).map { Status(migration: $0, isApplied: recorded.contains($1)) }
    }
}

extension [SchemaMigrator.Status] {
    /// The migrations that a database lacks, up to `last` or all.
    func missing(upTo last: SchemaMigration? = nil) -> [SchemaMigration] {
        filter { !$0.isApplied }.map(\.migration).filter { $0.number <= last?.number ?? .max }
    }
}
