// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(3)), .enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
struct `A server's database on PostgreSQL` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.postgres.make() }

    @Test func `a database of a newer version is refused, and descriptions and errors contain no password`() throws {
        let configuration = try #require(place.postgres)
        let connection = try PostgresConnection(configuration)
        #expect(try PostgresSchema.migrate(connection) == SchemaMigration.all)
        #expect(try PostgresSchema.migrate(connection) == [])
        try connection.run("INSERT INTO migrations VALUES ('99 the future')")
        #expect(throws: DatabaseStartupError.newerSchema("99 the future")) { try place.open() }
        let address = "postgresql://freshet:geheim@db1:5433,db2/freshet?password=geheim&target_session_attrs=any"
        let hidden = try PostgresConfiguration(address)
        #expect("\(hidden) \(String(reflecting: hidden))".contains("geheim") == false)
        #expect(hidden.mask == "postgresql://freshet@db1:5433,db2/freshet")
        #expect(throws: DatabaseStartupError.notAPostgresAddress) { try PostgresConfiguration("mysql://x") }
        // A folder that is there, and in which no server listens.
        let empty = FileManager.default.temporaryDirectory.appending(path: "freshet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: empty) }
        let broken = try PostgresConfiguration("postgresql://freshet:geheim@/freshet?host=\(empty.path)")
        #expect { try PostgresConnection(broken) } throws: { error in
            (error as? SQLError)?.kind == .transient && !"\(error)".contains("geheim")
        }
    }

    @Test func `a database is refused whose encoding lacks characters`() throws {
        let cluster = try PostgresCluster.shared.get()
        let connection = try PostgresConnection(try #require(place.postgres))
        let name = "t_latin_\(UUID().uuidString.prefix(8).lowercased())"
        let encoding = "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        try connection.run("CREATE DATABASE \(name) \(encoding)")
        #expect(throws: DatabaseStartupError.postgresEncoding("LATIN1")) {
            try PostgresDatabase(PostgresConfiguration(cluster.address(name)))
        }
    }

    @Test func `a migration reports its steps, but not for an empty database`() throws {
        let connection = try PostgresConnection(try #require(place.postgres))
        var remarks: [StartupProgress] = []
        _ = try PostgresSchema.migrate(connection, upTo: .sessionStreaks) { remarks.append($0) }
        #expect(remarks.isEmpty)
        let migrated = try PostgresSchema.migrate(connection, upTo: .keyFingerprints) { remarks.append($0) }
        #expect(migrated == [.compactSessions, .keyFingerprints])
        #expect(remarks == [.migratesTables(migrated)])
    }

    @Test func `a migration lets queries pass while a backup uses its table`() async throws {
        let configuration = try #require(place.postgres)
        let connection = try PostgresConnection(configuration)
        _ = try PostgresSchema.migrate(connection, upTo: .profiles)
        let backup = try PostgresConnection(configuration)
        try backup.run("BEGIN; LOCK TABLE users IN ACCESS SHARE MODE")
        let (remarks, remark) = AsyncStream.makeStream(of: StartupProgress.self)
        let (results, result) = AsyncStream.makeStream(of: Result<[SchemaMigration], any Error>.self)
        Thread.detachNewThread {
            result.yield(Result { try PostgresSchema.migrate(connection) { remark.yield($0) } })
        }
        #expect(await remarks.first { $0 == .waitsForTables } != nil)
        // A query that waits behind the migration is answered at its next pause at the latest.
        let client = try PostgresConnection(configuration)
        #expect(try client.number("SELECT count(*) FROM users") == 0)
        try backup.run("COMMIT")
        let executed = try #require(await results.first { _ in true }).get()
        #expect(executed == [.forgottenDevices])
        // Called once, however long it takes.
        remark.finish()
        #expect(await remarks.reduce(into: []) { $0.append($1) }.isEmpty)
    }

    @Test func `a migration runs without a statement timeout, which is restored afterwards`() throws {
        let connection = try PostgresConnection(try #require(place.postgres))
        #expect(try connection.row("SHOW statement_timeout") { try $0[0] as String } == "10s")
        // Each step notes how long it may take.
        try connection.run(
            """
            CREATE TABLE migrations (
                identifier TEXT NOT NULL PRIMARY KEY, terms TEXT DEFAULT current_setting('statement_timeout')
            )
            """
        )
        _ = try PostgresSchema.migrate(connection)
        #expect(try connection.rows("SELECT DISTINCT terms FROM migrations") { try $0[0] as String } == ["0"])
        #expect(try connection.row("SHOW statement_timeout") { try $0[0] as String } == "10s")
    }

    @Test func `the PostgreSQL migration to compact sessions keeps every column and index`() throws {
        let connection = try PostgresConnection(try #require(place.postgres))
        _ = try PostgresSchema.migrate(connection, upTo: .sessionStreaks)
        let columns = try connection.rows(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'sessions'::regclass AND attnum > 0"
        ) { try $0[0] as String }
        #expect(columns.count == 26)
        let values = columns.indices.map { place in
            switch columns[place] {
            case "id", #""user""#, "salt", "intent", "run_source": #"'\\x\#(10 + place)'"#
            case "device": #"'["\#(place)"]'"#
            case "reason", "dialect", "place", "method": "'\(place)'"
            default: "\(place)"
            }
        }
        try connection.run(
            "INSERT INTO sessions (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
        )
        func state() throws -> [String] {
            try connection.rows("SELECT to_jsonb(s)::text FROM sessions s") { try $0[0] as String }
                + connection.rows("SELECT indexdef FROM pg_indexes WHERE tablename = 'sessions' ORDER BY 1") { row in
                    try row[0] as String
                }
        }
        let before = try state()
        #expect(before.count == 4)
        #expect(try PostgresSchema.migrate(connection, upTo: .compactSessions) == [.compactSessions])
        #expect(try state() == before)
    }

    @Test func `the server waits for a database that is starting, but not after a permanent refusal`() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.stop() }
        let address = try cluster.database()
        try cluster.halt()
        let (remarks, remark) = AsyncStream.makeStream(of: StartupProgress.self)
        let opening = Task.detached { try PostgresDatabase(PostgresConfiguration(address)) { remark.yield($0) } }
        guard case .databaseUnreachable(let reason) = await remarks.first(where: { _ in true }) else {
            Issue.record("it waits without a word")
            return
        }
        #expect(reason.contains("socket"))
        try cluster.start()
        try await opening.value.close()
        let wrong = try PostgresConfiguration(cluster.address("nowhere"))
        #expect { try PostgresDatabase(wrong) } throws: { error in
            guard case DatabaseStartupError.database(let reason) = error else { return false }
            return reason.contains(#"database "nowhere" does not exist"#)
        }
    }
}
