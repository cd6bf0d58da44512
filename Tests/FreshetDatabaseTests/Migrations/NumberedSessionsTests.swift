// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import GRDB
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(5)))
struct `Sessions in insertion order` {
    private let queue: DatabaseQueue

    init() throws { queue = try DatabaseQueue() }

    private func sessions() throws -> [[String: DatabaseValue]] {
        try queue.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM sessions ORDER BY id").map { row in
                Dictionary(uniqueKeysWithValues: row.map { ($0.0, $0.1) })
            }
        }
    }

    /// The type and constraints of each column.
    private func constraints() throws -> [String] {
        try queue.read { try Row.fetchAll($0, sql: "PRAGMA table_info(sessions)").map(\.description) }
    }

    private func plan(_ statement: String) throws -> String {
        let question = "EXPLAIN QUERY PLAN " + statement.replacing("?", with: "1")
        return try queue.read { try Row.fetchAll($0, sql: question).map { $0["detail"] }.joined(separator: "; ") }
    }

    @Test func `the SQLite migration to compact sessions keeps the rows and the columns`() throws {
        try SQLiteSchema.migrate(queue, upTo: .sessionStreaks)
        let columns = try queue.read { try $0.columns(in: "sessions").map(\.name) }
        #expect(columns.count == 26)
        try queue.write { database in
            for number in 1...3 {
                // Another value in each column, as bytes, text or number in turn.
                let values = columns.indices.map {
                    ["x'\(number)0\($0 + 10)'", "'\(number) \($0)'", "\(number * 100 + $0)"][$0 % 3]
                }
                try database.execute(sql: "INSERT INTO sessions VALUES (\(values.joined(separator: ", ")))")
            }
        }
        let before = (try sessions(), try constraints())
        try SQLiteSchema.migrate(queue, upTo: .compactSessions)
        let after = (try sessions(), try constraints())
        #expect(before.0.count == 3)
        #expect(after == before)
    }

    @Test func `the migrated sessions table of SQLite has its two indices`() throws {
        try SQLiteSchema.migrate(queue)
        let indices =
            "SELECT sql FROM sqlite_master WHERE tbl_name = 'sessions' AND type = 'index' AND sql NOT NULL ORDER BY name"
        #expect(
            try queue.read { try String.fetchAll($0, sql: indices) } == [
                "CREATE INDEX sessions_ended ON sessions(ended_at, id) WHERE ended_at IS NOT NULL",
                "CREATE INDEX sessions_user ON sessions(user)",
            ]
        )
    }

    @Test func `a rotation finds a session by the index of its ID and updates it by its rowid`() throws {
        try SQLiteSchema.migrate(queue)
        #expect(try plan(SQLiteRotations.look) == "SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id=?)")
        #expect(try plan(SQLiteRotations.write) == "SEARCH sessions USING INTEGER PRIMARY KEY (rowid=?)")
    }

    @Test func `the feed of ended sessions is read by its index without sorting`() throws {
        try SQLiteSchema.migrate(queue)
        let plan = try plan(SessionTable.endings)
        #expect(plan == "SEARCH sessions USING INDEX sessions_ended (ended_at>?)")
    }

    @Test func `a second session with the same ID is rejected`() throws {
        try SQLiteSchema.migrate(queue, upTo: .compactSessions)
        let values = ["x'01'", "x'02'", "x'03'"] + Array(repeating: "1", count: 23)
        let insertion = "INSERT INTO sessions VALUES (\(values.joined(separator: ", ")))"
        try queue.write { try $0.execute(sql: insertion) }
        #expect(throws: DatabaseError.self) { try queue.write { try $0.execute(sql: insertion) } }
    }
}
