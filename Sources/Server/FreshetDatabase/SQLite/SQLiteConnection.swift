// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDBSQLite

/// A SQLite connection, with its prepared statements.
///
/// GRDB opens, migrates and closes connections, and ensures that one thread at a time uses each; statements call
/// SQLite directly, without GRDB's values.
package final class SQLiteConnection: SQLConnection, @unchecked Sendable {
    // Unchecked: GRDB ensures that only the connection's own queue uses it.
    package let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    private var cachedRotations: SQLiteRotations?
    private var walPageCount: Int?
    /// The number that the last flush wrote, to have something to commit.
    private var flushNumber = 0

    package init(_ handle: OpaquePointer) { self.handle = handle }

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

    /// SQLite has one writer at a time.
    package var skippingLocked: String { "" }
    package var hasRowIDs: Bool { true }
    package var serverTimeQuery: String? { nil }
    package var eventAgeExpression: String { "coalesce(since, at)" }

    /// Runs `body` in a transaction that excludes other writers.
    ///
    /// - Throws: The error of `body` or of the database, after which nothing is written; `SQLError.aborted` if SQLite
    ///   rolled the transaction back automatically, for example because the disk is full.
    package func inTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN IMMEDIATE")
        defer { rollBackIfNeeded() }
        let value = try body()
        guard isInTransaction else { throw SQLError.aborted }
        try execute("COMMIT")
        return value
    }

    /// Runs `body` on a snapshot of the database.
    package func inSnapshot<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN")
        // There is nothing to commit.
        defer { rollBackIfNeeded() }
        return try body()
    }

    /// Executes statements without parameters, which are not kept as prepared statements.
    ///
    /// - Throws: `SQLError`.
    package func runScript(_ script: String) throws {
        let status = sqlite3_exec(handle, script, nil, nil, nil)
        guard status == SQLITE_OK else { throw SQLError(sqlite: status, on: handle) }
    }

    /// Sets whether each commit is flushed to the disk, or only the pages that a checkpoint moves.
    package func setFullSynchronization(_ isFull: Bool) throws {
        try runScript("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    }

    /// Whether the connection actually keeps `synchronous = FULL`, which GRDB may override.
    func keepsFullSynchronization() throws -> Bool {
        try setFullSynchronization(true)
        defer { try? setFullSynchronization(false) }
        return try row("PRAGMA synchronous", []) { try $0.integer(0) } == 2
    }

    /// Whether a transaction is open; some failures (disk full, I/O) roll one back implicitly.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Records the length of the WAL at each commit from now on.
    func observeWAL() {
        // `finalize` removes the hook before the connection is released.
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

    /// Returns the WAL's length in pages at the last commit; `nil` if there was no commit since the last call.
    func takeWALPageCount() -> Int? { walPageCount.take() }

    /// Checkpoints the pages that no reader needs.
    ///
    /// - Throws: `SQLError`; busy while another connection checkpoints.
    func checkpointWAL() throws -> WALCheckpointPolicy.Result {
        let result = try row("PRAGMA wal_checkpoint(PASSIVE)", []) { row in
            WALCheckpointPolicy.Result(log: Int(try row.integer(1)), moved: Int(try row.integer(2)))
        }
        guard let result, result.log >= 0 else { throw SQLError.busy }
        return result
    }

    /// Flushes all commits to the disk: one commit under FULL syncs the whole WAL before it.
    ///
    /// - Throws: `SQLError`.
    func flush() throws {
        flushNumber = flushNumber &+ 1
        try setFullSynchronization(true)
        defer { try? setFullSynchronization(false) }
        try inTransaction { try runScript("PRAGMA user_version = \(flushNumber & 0x7FFF_FFFF)") }
    }

    /// Moves all pages of the WAL into the database, flushes them, and truncates the WAL.
    ///
    /// - Throws: `SQLError`; busy while a reader or another checkpoint needs the WAL.
    package func restartWAL() throws {
        let isBusy = try row("PRAGMA wal_checkpoint(TRUNCATE)", []) { try $0.integer(0) }
        guard isBusy == 0 else { throw SQLError.busy }
    }

    /// Rolls back the transaction, if one is open.
    ///
    /// The cancellation of a task interrupts the running statement, so a second attempt may be needed.
    private func rollBackIfNeeded() {
        for _ in 1...3 where isInTransaction { _ = try? execute("ROLLBACK") }
    }

    /// Runs `body` in a savepoint, and rolls back only the savepoint if `body` throws.
    package func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("SAVEPOINT freshet")
        do {
            let value = try body()
            try execute("RELEASE freshet")
            return value
        } catch {
            // A failure that rolled back the whole transaction removed the savepoint, too.
            if isInTransaction {
                try execute("ROLLBACK TO freshet")
                try execute("RELEASE freshet")
            }
            throw error
        }
    }

    /// The statements that change single sessions.
    var rotations: SQLiteRotations {
        get throws {
            if let cachedRotations { return cachedRotations }
            let rotations = try SQLiteRotations(on: handle)
            cachedRotations = rotations
            return rotations
        }
    }

    /// Finalizes the statements: SQLite does not close a connection that has statements.
    package func finalize() {
        sqlite3_wal_hook(handle, nil, nil)
        statements = [:]
        cachedRotations = nil
    }

    private func statement(_ sql: String) throws -> SQLiteStatement {
        if let statement = statements[sql] {
            if statement.begin() { return statement }
            // The statement is in use, because the caller that reads its rows runs the same query again.
            return try SQLiteStatement(sql, on: handle)
        }
        let statement = try SQLiteStatement(sql, on: handle)
        statements[sql] = statement
        return statement
    }
}
