// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import GRDB
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase

/// Databases as versions made them before SQLite and PostgreSQL shared one list of migrations.
@Suite(.timeLimit(.minutes(3)))
struct `A database of an earlier version` {
    /// The definitions of all tables, indexes and triggers, and the recorded names in their order.
    private static func contents(_ database: DatabaseQueue) throws -> [String] {
        try database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT name || ': ' || coalesce(sql, '') FROM sqlite_master ORDER BY type, name
                    """
            ) + String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
        }
    }

    private static func contents(_ connection: PostgresConnection) throws -> [String] {
        try connection.rows(
            """
            SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, is_nullable, column_default, generation_expression)
                FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT concat_ws(' ', relname, reloptions) FROM pg_class WHERE relnamespace = 'public'::regnamespace
            UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
            UNION ALL SELECT identifier FROM migrations ORDER BY 1
            """
        ) { try $0[0] as String }
    }

    /// Every state of an earlier version's schema, from the first step alone to all of them.
    @Test func `a SQLite database of any earlier step is recognised and migrated to the schema of a new one`() throws {
        let earlier = EarlierMigration.sqlite
        #expect(earlier.count == 15)
        #expect(earlier[10].name == "11 sessions in the order they came")
        let fresh = try DatabaseQueue()
        try SQLiteSchema.migrate(fresh, upTo: .profiles)
        for count in 1...earlier.count {
            let database = try DatabaseQueue()
            try database.write { database in
                try database.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
                for migration in earlier.prefix(count) {
                    try database.execute(sql: migration.sql)
                    try database.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [migration.name])
                }
            }
            let applied = try SQLiteSchema.status(database).filter(\.isApplied).map(\.migration)
            #expect(applied == Array(SchemaMigration.all.prefix(count)))
            try SQLiteSchema.migrate(database, upTo: .profiles)
            #expect(try SQLiteSchema.status(database).missing(upTo: .profiles) == [])
            #expect(try Self.contents(database) == Self.contents(fresh))
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `a PostgreSQL database of any earlier step is recognised and migrated to the schema of a new one`()
        async throws
    {
        struct Result: Equatable {
            var applied: [SchemaMigration]
            var executed: [SchemaMigration]
            var executedAgain: [SchemaMigration]
            var contents: [String]
        }
        @Sendable func connect() throws -> PostgresConnection {
            try PostgresConnection(PostgresConfiguration(try PostgresCluster.shared.get().database()))
        }
        #expect(EarlierMigration.postgres.count == 15)
        #expect(EarlierMigration.postgres[10].name == "12 sessions in less room")
        let fresh = try await onThread {
            let fresh = try connect()
            _ = try PostgresSchema.migrate(fresh, upTo: .profiles)
            return try Self.contents(fresh)
        }
        let migrations = Array(SchemaMigration.all.prefix(EarlierMigration.postgres.count))
        for count in 1...migrations.count {
            let result = try await onThread {
                let database = try connect()
                try database.run("CREATE TABLE migrations (identifier TEXT NOT NULL PRIMARY KEY)")
                for migration in EarlierMigration.postgres.prefix(count) {
                    try database.run(migration.sql)
                    try database.execute("INSERT INTO migrations VALUES (?)", [migration.name])
                }
                return Result(
                    applied: try PostgresSchema.status(database).filter(\.isApplied).map(\.migration),
                    executed: try PostgresSchema.migrate(database, upTo: .profiles),
                    executedAgain: try PostgresSchema.migrate(database, upTo: .profiles),
                    contents: try Self.contents(database)
                )
            }
            let expected = Result(
                applied: Array(migrations.prefix(count)),
                executed: Array(migrations.dropFirst(count)),
                executedAgain: [],
                contents: fresh
            )
            #expect(result == expected)
        }
    }
}
