// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(5)))
struct `A SQLite database` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.sqlite.make() }

    private func open() throws -> SQLiteDatabase { try SQLiteDatabase(in: place.folder) }

    @Test func `SQLite's automatic checkpoints are disabled for servers and commands`() throws {
        let server = try open()
        let command = try SQLiteDatabase(existingIn: place.folder)
        for database in [server, command] {
            let pages = try database.writeNow { try $0.row("PRAGMA wal_autocheckpoint", [], { try $0.integer(0) }) }
            #expect(pages == 0)
        }
        try command.detach()
        try server.close()
    }

    @Test func `the writer of a SQLite database uses the configured page cache size`() throws {
        let database = try open()
        let size = try database.writeNow { try $0.row("PRAGMA cache_size", [], { try $0.integer(0) }) }
        #expect(size == -Int64(SQLiteDatabase.cache))
        try database.close()
    }

    @Test func `writes that wait together share one transaction`() async throws {
        let database = try open()
        let gate = DispatchSemaphore(value: 0)
        let (numbers, results) = AsyncStream.makeStream(of: Int.self)
        let (beginnings, begun) = AsyncStream.makeStream(of: Void.self)
        database.writes.enqueue({ _ in
            begun.finish()
            gate.wait()
            return WriteResult(value: 0)
        }) { results.yield((try? $0.get()) ?? -1) }
        for await _ in beginnings {}
        for number in 1...100 {
            database.writes.enqueue({ _ in WriteResult(value: number) }) {
                results.yield((try? $0.get()) ?? -1)
            }
        }
        gate.signal()
        #expect(await numbers.prefix(101).reduce(into: []) { $0.append($1) } == Array(0...100))
        // Those that come while the first one is written are written with it.
        #expect(database.writes.commits == 1)
    }

    @Test func `a write that fails does not fail the others of its commit`() async throws {
        let database = try open()
        struct Refused: Error {}
        async let bad: Void = database.durably { database in
            try database.execute("INSERT INTO users (id, email, created_at) VALUES (x'01', 'a', 0)")
            throw Refused()
        }
        async let good: Void = database.durably { database in
            try database.execute("INSERT INTO users (id, email, created_at) VALUES (x'02', 'b', 0)")
        }
        do {
            try await bad
            Issue.record("the failing write succeeded")
        } catch is Refused {}
        try await good
        let emails = try await database.read { try $0.rows("SELECT email FROM users") { try $0[0] as String } }
        #expect(emails == ["b"])
    }

    @Test func `a write fails if another write ends their shared transaction`() async throws {
        let database = try open()
        let gate = DispatchSemaphore(value: 0)
        let (beginnings, begun) = AsyncStream.makeStream(of: Void.self)
        let (outcomes, tell) = AsyncStream.makeStream(of: Bool.self)
        func enqueue(_ body: @escaping @Sendable (any SQLConnection) throws -> Void) {
            database.writes.enqueue({ WriteResult(value: try body($0)) }) { (result: Result<Void, any Error>) in
                tell.yield((try? result.get()) != nil)
            }
        }
        enqueue { _ in
            begun.finish()
            gate.wait()
        }
        for await _ in beginnings {}
        // As SQLite does by itself when the disk is full.
        enqueue { _ = try $0.execute("ROLLBACK") }
        enqueue { _ = try $0.execute("INSERT INTO users (id, email, created_at) VALUES (x'01', 'a', 0)") }
        gate.signal()
        #expect(await outcomes.prefix(3).reduce(into: []) { $0.append($1) } == [false, false, false])
        #expect(try await database.read { try $0.number("SELECT count(*) FROM users") } == 0)
        _ = try await database.durably {
            try $0.execute("INSERT INTO users (id, email, created_at) VALUES (x'02', 'b', 0)")
        }
        #expect(try await database.read { try $0.number("SELECT count(*) FROM users") } == 1)
    }

    @Test func `the audit trail's queries use its indices`() async throws {
        let database = try open()
        let age = try await database.read { $0.eventAgeExpression }
        let questions = [
            ("events_session", "SELECT id FROM events WHERE session = x'01' ORDER BY id DESC LIMIT 1"),
            (
                "events_age",
                "SELECT id FROM events WHERE plain = 1 AND \(age) < 5 AND at < 5 ORDER BY \(age) LIMIT 9"
            ),
        ]
        for (index, question) in questions {
            let plan = try await database.read { database in
                try database.rows("EXPLAIN QUERY PLAN \(question)") { try $0.text(3) }
            }
            #expect(plan.count == 1 && plan[0].contains("INDEX \(index) "), "\(plan)")
        }
    }

    @Test func `a decision on an outdated row is not written`() async throws {
        let database = try open()
        let row = SessionRow.start(
            user: UUID(),
            mode: .intent,
            device: Device(name: "d"),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: Timestamp(milliseconds: 5)
        )
        var first = row
        first.rotation.intent = IntentHash(.random())
        var second = row
        second.rotation.current = 1
        let (one, two) = (first, second)
        let written = try await database.durably { database in
            try SessionTable.insert(row, in: database)
            return [
                try SessionTable.replace(row, by: one, in: database),
                try SessionTable.replace(row, by: two, in: database),
                try SessionTable.replace(one, by: two, in: database),
            ]
        }
        #expect(written == [true, false, true])
        #expect(try await database.read { try SessionTable.find(row.id, in: $0) } == second)
    }

    @Test func `an ended session is never written again`() async throws {
        let database = try open()
        var row = SessionRow.start(
            user: UUID(),
            mode: .plain,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: Timestamp(milliseconds: 5)
        )
        row.ending = SessionRow.Ending(at: Timestamp(milliseconds: 6), reason: .fork)
        let ended = row
        let written = try await database.durably { database in
            try SessionTable.insert(ended, in: database)
            return try SessionTable.replace(ended, by: ended, in: database)
        }
        #expect(!written)
        #expect(try await database.read { try SessionTable.find(ended.id, in: $0) } == ended)
    }

    @Test func `SQLite reports synchronous FULL after it is set`() throws {
        var isFull = false
        _ = try SQLiteDatabase(
            in: place.folder,
            isDurable: { connection in
                isFull = try connection.keepsFullSynchronization()
                return isFull
            }
        )
        #expect(isFull)
    }

    @Test func `a SQLite database of a newer version is refused`() throws {
        try open().close()
        let queue = try DatabaseQueue(path: place.folder.appending(path: "freshet.sqlite").path)
        try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9 tomorrow')") }
        try queue.close()
        #expect(throws: DatabaseStartupError.newerSchema("9 tomorrow")) { try open() }
    }

    @Test func `a server does not start on a database that cannot guarantee durable commits`() throws {
        #expect(throws: DatabaseStartupError.notDurable) {
            try SQLiteDatabase(in: place.folder, isDurable: { _ in false })
        }
    }
}
