// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Executes ``SchemaMigration``s on PostgreSQL, which records them in the table `migrations`.
enum PostgresSchema {
    /// The advisory lock that keeps two servers that start together from executing the same step.
    private static let lock = 0x6672_6573_6865

    /// Executes the steps that are missing, all or none, up to `last` or to the newest.
    ///
    /// - Parameters:
    ///   - connection: Whose database it is.
    ///   - last: The last step to execute; `nil` for the newest.
    ///   - onProgress: Told of them beforehand, unless the tables are made for the first time.
    /// - Returns: The executed steps.
    /// - Throws: `DatabaseStartupError` for a database that a newer version wrote.
    static func migrate(
        _ connection: PostgresConnection,
        upTo last: SchemaMigration? = nil,
        _ onProgress: (StartupProgress) -> Void = { _ in }
    ) throws -> [SchemaMigration] {
        try refuseDistributedTables(connection)
        // Before the lock, which this server waits for while another one executes them.
        let before = try status(connection)
        let ahead = before.missing(upTo: last)
        if !ahead.isEmpty, before.contains(where: \.isApplied) { onProgress(.migratesTables(ahead)) }
        // Rewriting many sessions takes longer than `statement_timeout`, and so does waiting for another server that does.
        let terms = "SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0"
        try connection.run("BEGIN; \(terms); SELECT pg_advisory_xact_lock(\(lock))")
        do {
            try connection.run("CREATE TABLE IF NOT EXISTS migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            let missing = try status(connection).missing(upTo: last)
            for migration in missing {
                let script = migration.script(for: .postgres)
                try connection.run(script.sql)
                try connection.execute("INSERT INTO migrations (identifier) VALUES (?)", [script.recordedName])
            }
            try connection.run("COMMIT")
            return missing
        } catch {
            _ = try? connection.run("ROLLBACK")
            throw error
        }
    }

    /// Every step that this version knows.
    ///
    /// - Throws: `DatabaseStartupError` for a database that a newer version wrote.
    static func status(_ connection: PostgresConnection) throws -> [SchemaMigrator.Status] {
        let isThere = try connection.row("SELECT to_regclass('migrations') IS NOT NULL") { try $0[0] as Bool } ?? false
        let recorded = isThere ? try connection.rows("SELECT identifier FROM migrations") { try $0[0] as String } : []
        return try SchemaMigrator.status(recorded: Set(recorded), on: .postgres)
    }
}
