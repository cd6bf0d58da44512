// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDBSQLite

/// A connection of SQLite's, with the statements that were prepared on it.
///
/// GRDB opens, migrates and closes connections and sees to it that one at a time uses them; statements are SQLite's own,
/// without values of GRDB's on the way.
package final class SQLiteConnection: SQLConnection, @unchecked Sendable {
    // Unchecked: only the connection's own queue comes here, as GRDB makes sure.
    package let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    private var cachedRotations: SQLiteRotations?
    private var walPageCount: Int?

    init(_ handle: OpaquePointer) { self.handle = handle }

    package func visit(
        _ sql: String,
        _ values: [(any SQLConvertible)?],
        _ body: (any SQLRow) throws -> Bool
    ) throws {
        let statement = try statement(sql)
        defer { statement.finish() }
        try statement.bind(values)
        while try statement.step() {
            if try !body(statement.row) { return }
        }
    }

    @discardableResult
    package func execute(_ sql: String, _ values: [(any SQLConvertible)?]) throws -> Int {
        let statement = try statement(sql)
        defer { statement.finish() }
        try statement.bind(values)
        while try statement.step() {}
        return Int(sqlite3_changes(handle))
    }

    /// One writes at a time.
    package var skippingLocked: String { "" }
    package var hasRowIDs: Bool { true }
    package var serverTimeQuery: String? { nil }
    package var eventAgeExpression: String { "coalesce(since, at)" }

    /// Runs `body` in a transaction that nobody else's write disturbs.
    ///
    /// - Throws: what `body` throws or the database says, and nothing is written then; `SQLError.aborted` if it gave the
    ///   transaction up by itself, as for a full disk.
    func inTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN IMMEDIATE")
        defer { rollBackIfNeeded() }
        let value = try body()
        guard isInTransaction else { throw SQLError.aborted }
        try execute("COMMIT")
        return value
    }

    /// Runs `body` on one state of the database, whoever writes meanwhile.
    func inSnapshot<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN")
        // There is nothing to keep or to undo.
        defer { rollBackIfNeeded() }
        return try body()
    }

    /// Whether a transaction is under way; some failures (disk full, I/O) end one behind everybody's back.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Notes from now on how long each of its commits leaves the log.
    func observeWAL() {
        // It is let go of before the connection is, see `finalize`.
        let me = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { me, _, _, pages in
                me.map { Unmanaged<SQLiteConnection>.fromOpaque($0).takeUnretainedValue() }?.walPageCount = Int(pages)
                return SQLITE_OK
            },
            me
        )
    }

    /// How many pages the log had at its last commit; `nil` if it has committed nothing since this was last asked.
    func takeWALPageCount() -> Int? { walPageCount.take() }

    /// Moves what is in the log and no reader is in need of.
    ///
    /// - Throws: `SQLError`; busy while another one moves it.
    func checkpointWAL() throws -> WALCheckpointPolicy.Result {
        let result = try row("PRAGMA wal_checkpoint(PASSIVE)", []) { row in
            WALCheckpointPolicy.Result(log: Int(try row.integer(1)), moved: Int(try row.integer(2)))
        }
        guard let result, result.log >= 0 else { throw SQLError.busy }
        return result
    }

    /// Undoes the transaction, if there is one.
    ///
    /// A task that is cancelled interrupts whatever runs, so it may take a second try.
    private func rollBackIfNeeded() {
        for _ in 1...3 where isInTransaction { _ = try? execute("ROLLBACK") }
    }

    /// Runs `body` so that what it wrote is undone if it throws, and nothing else is.
    func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("SAVEPOINT freshet")
        do {
            let value = try body()
            try execute("RELEASE freshet")
            return value
        } catch {
            // A failure that undid the whole transaction took the savepoint along.
            if isInTransaction {
                try execute("ROLLBACK TO freshet")
                try execute("RELEASE freshet")
            }
            throw error
        }
    }

    /// The changes of single sessions.
    var rotations: SQLiteRotations {
        get throws {
            if let cachedRotations { return cachedRotations }
            let rotations = try SQLiteRotations(on: handle)
            cachedRotations = rotations
            return rotations
        }
    }

    /// Lets go of the statements: SQLite closes no connection that has any.
    package func finalize() {
        sqlite3_wal_hook(handle, nil, nil)
        statements = [:]
        cachedRotations = nil
    }

    private func statement(_ sql: String) throws -> SQLiteStatement {
        if let statement = statements[sql] {
            if statement.begin() { return statement }
            // Somebody reads its rows and asks the same again.
            return try SQLiteStatement(sql, on: handle)
        }
        let statement = try SQLiteStatement(sql, on: handle)
        statements[sql] = statement
        return statement
    }
}
