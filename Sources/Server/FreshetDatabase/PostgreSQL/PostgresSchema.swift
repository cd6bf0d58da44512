// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Executes ``SchemaMigration``s on PostgreSQL, which records them in the table `migrations`.
enum PostgresSchema {
    /// The advisory lock that keeps two starting servers from executing the same migration.
    private static let lock = 0x6672_6573_6865
    /// The time for which a migration waits for a table that another client uses; every query of that table waits behind
    /// it.
    private static let lockTimeout = Duration.seconds(2)
    /// The time for which the waiting queries run before the next attempt.
    private static let pause = Duration.seconds(1)

    /// Executes the missing migrations up to `last` or the newest, all in one transaction.
    ///
    /// - Parameters:
    ///   - connection: The connection to the database.
    ///   - last: The last migration to execute; `nil` for the newest.
    ///   - onProgress: Called with the missing migrations before they are executed, unless the tables are created for
    ///     the first time, and once if another client's use of the tables delays them.
    /// - Returns: The executed migrations.
    /// - Throws: `DatabaseStartupError` for a database that a newer version wrote.
    static func migrate(
        _ connection: PostgresConnection,
        upTo last: SchemaMigration? = nil,
        _ onProgress: (StartupProgress) -> Void = { _ in }
    ) throws -> [SchemaMigration] {
        try refuseDistributedTables(connection)
        // The status is read before this server waits for the lock, which another server may hold while it migrates.
        let before = try status(connection)
        let ahead = before.missing(upTo: last)
        if !ahead.isEmpty, before.contains(where: \.isApplied) { onProgress(.migratesTables(ahead)) }
        // Rewriting many sessions, or waiting for another server's migration, takes longer than `statement_timeout`.
        let terms = "SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0"
        let lockTerms = "SET LOCAL lock_timeout = \(Int(lockTimeout / .milliseconds(1)))"
        let begin = "BEGIN; \(terms); SELECT pg_advisory_xact_lock(\(lock)); \(lockTerms)"
        var isDelayed = false
        while true {
            do {
                try connection.run(begin)
                let executed = try executeMissing(connection, upTo: last)
                try connection.run("COMMIT")
                return executed
            } catch {
                _ = try? connection.run("ROLLBACK")
                guard let error = error as? SQLError, error.isLockTimeout else { throw error }
                if !isDelayed { onProgress(.waitsForTables) }
                isDelayed = true
                Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
    }

    private static func executeMissing(
        _ connection: PostgresConnection,
        upTo last: SchemaMigration?
    ) throws -> [SchemaMigration] {
        try connection.run("CREATE TABLE IF NOT EXISTS migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        let missing = try status(connection).missing(upTo: last)
        for migration in missing {
            let script = migration.script(for: .postgres)
            try connection.run(script.sql)
            try connection.execute("INSERT INTO migrations (identifier) VALUES (?)", [script.recordedName])
        }
        return missing
    }

    /// Returns the status of every migration that this version knows.
    ///
    /// - Throws: `DatabaseStartupError` for a database that a newer version wrote.
    static func status(_ connection: PostgresConnection) throws -> [MigrationStatus] {
        let isThere = try connection.row("SELECT to_regclass('migrations') IS NOT NULL") { try $0[0] as Bool } ?? false
        let recorded = isThere ? try connection.rows("SELECT identifier FROM migrations") { try $0[0] as String } : []
        return try MigrationStatus.all(recorded: Set(recorded), on: .postgres)
    }
}
