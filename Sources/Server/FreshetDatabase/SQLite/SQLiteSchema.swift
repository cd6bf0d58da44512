// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import GRDB

/// Executes ``SchemaMigration``s on SQLite, which records them in GRDB's table `grdb_migrations`.
enum SQLiteSchema {
    /// Executes the missing migrations, each in a separate transaction, up to `last` or all.
    static func migrate(_ database: some DatabaseWriter, upTo last: SchemaMigration? = nil) throws {
        var migrator = DatabaseMigrator()
        for migration in SchemaMigration.all where migration.number <= last?.number ?? .max {
            let script = migration.script(for: .sqlite)
            migrator.registerMigration(script.recordedName) { try $0.execute(sql: script.sql) }
        }
        try migrator.migrate(database)
    }

    /// Returns the status of every migration that this version knows.
    ///
    /// - Throws: `DatabaseStartupError.newerSchema`, or the database's error.
    static func status(_ database: some DatabaseReader) throws -> [MigrationStatus] {
        let recorded = try database.read { try DatabaseMigrator().appliedIdentifiers($0) }
        return try MigrationStatus.all(recorded: recorded, on: .sqlite)
    }

    /// Returns the status of every migration for a database that a server may be using.
    ///
    /// - Throws: `DatabaseStartupError` without a database, or for one that a newer version wrote.
    static func status(of file: URL) throws -> [MigrationStatus] {
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw DatabaseStartupError.noDatabase(file.path)
        }
        var configuration = Configuration()
        configuration.readonly = true
        // A server that starts or stops locks readers out for a moment.
        configuration.busyMode = .timeout(5)
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? database.close() }
        return try status(database)
    }
}

extension SQLiteConnection {
    /// Executes all migrations on a new database, without recording them.
    package func createTables() throws {
        for migration in SchemaMigration.all { try runScript(migration.script(for: .sqlite).sql) }
    }
}
