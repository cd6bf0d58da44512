// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase

/// Citus was not at hand: a table of its catalogue's name and column stands for it (`PostgresSchema+Citus`).
@Suite(.timeLimit(.minutes(3)), .enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
struct `A database in which Citus distributes tables` {
    @Test func `a database is refused if Citus distributes a Freshet table, and accepted for other tables`() throws {
        let place = try DatabaseEngine.postgres.make()
        let address = try #require(place.postgres)
        let connection = try PostgresConnection(address)
        try connection.run(
            """
            CREATE TABLE pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL);
            CREATE TABLE orders (id BIGINT);
            INSERT INTO pg_dist_partition VALUES ('orders', 'h')
            """
        )
        try place.open().close()
        #expect(try SchemaMigrator(in: place.folder, database: address).migrate() == [])

        try connection.run("INSERT INTO pg_dist_partition VALUES ('sessions', 'h'), ('users', 'n')")
        let refusal = DatabaseStartupError.distributedTables(["sessions", "users"])
        #expect(throws: refusal) { try place.open() }
        #expect(throws: refusal) { try SchemaMigrator(in: place.folder, database: address).migrate() }
        #expect("\(refusal)".contains("Citus distributes sessions, users"))

        // A table of that name in another schema is not Freshet's.
        try connection.run(
            """
            CREATE SCHEMA shop; CREATE TABLE shop.sessions (id BIGINT);
            DELETE FROM pg_dist_partition; INSERT INTO pg_dist_partition VALUES ('shop.sessions', 'h')
            """
        )
        try place.open().close()
    }

    @Test func `the check for distributed tables covers every table of the schema`() throws {
        let connection = try PostgresConnection(try #require(try DatabaseEngine.postgres.make().postgres))
        _ = try PostgresSchema.migrate(connection)
        let tables = try connection.rows("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'") {
            try $0[0] as String
        }
        #expect(tables.count > 10)
        #expect(Set(tables).subtracting(PostgresSchema.tables).isEmpty)
    }
}
