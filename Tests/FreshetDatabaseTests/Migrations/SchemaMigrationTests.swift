// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(3)))
struct `The list of schema migrations` {
    @Test func `migration numbers count from one, and recorded migration names are unique`() {
        let all = SchemaMigration.all
        #expect(all.map(\.number) == Array(1...all.count))
        for engine in [SchemaMigration.Engine.sqlite, .postgres] {
            #expect(Set(all.map { $0.script(for: engine).recordedName }).count == all.count)
        }
        #expect(Set(all.map(\.name)).count == all.count)
    }

    @Test func `a migration without an earlier name is recorded under its number and name`() {
        let migration = SchemaMigration(number: 99, name: "add x", isOnlineSafe: true, sqlite: "a", postgres: "b")
        #expect(migration.script(for: .sqlite) == SchemaMigration.Script(recordedName: "99 add x", sql: "a"))
        #expect(migration.script(for: .postgres) == SchemaMigration.Script(recordedName: "99 add x", sql: "b"))
        #expect("\(migration)" == "99 add x")
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a database is migrated up to a step, and then to the newest`(engine: DatabaseEngine) throws {
        let place = try engine.make()
        let schema = SchemaMigrator(in: place.folder, database: place.postgres)
        if place.postgres == nil { try SQLiteDatabase(in: place.folder, migratesUpTo: .initialTables).close() }
        let applied = place.postgres == nil ? 1 : 0
        let first = try schema.migrate(upTo: .compactSessions)
        #expect(first == Array(SchemaMigration.all[applied...10]) && first.last == .compactSessions)
        #expect(try schema.status().filter(\.isApplied).map(\.migration) == Array(SchemaMigration.all[...10]))
        #expect(try schema.migrate(upTo: .compactSessions) == [])
        // Earlier than what the database has.
        #expect(try schema.migrate(upTo: .initialTables) == [])
        #expect(try schema.migrate() == Array(SchemaMigration.all[11...]))
        #expect(try schema.status().missing() == [])
        try place.open().close()
    }
}
