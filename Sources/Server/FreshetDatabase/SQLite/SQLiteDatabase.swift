// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetMetrics
import FreshetSystem
package import FreshetWire
import GRDB

/// The server's SQLite database: opened, migrated, and checked to be durable.
package final class SQLiteDatabase: ServerDatabase {
    private let pool: DatabasePool
    private let connections = SQLiteConnections()
    let file: URL
    /// The writer's page cache in KiB: enough for the upper B-tree pages of a million sessions.
    ///
    /// Every refresh reads those. A cache of four times this size did not make refreshes among ten million sessions
    /// faster, because the system caches the other pages.
    static let cache = 4096

    private let writer = SQLiteThread()
    private let reader = SQLiteThread()
    /// The queue of the requests' writes.
    let writes: WriteBatcher
    /// Checkpoints the WAL; `nil` in a command.
    private let checkpoints: Checkpointer?
    /// Whether a flush of the WAL says anything about earlier writes.
    let trust: WALTrust
    private let reads: ReadBatcher
    /// The lock of the data folder; `nil` in a command.
    private let lock: DatabaseLock?

    /// Opens or creates `freshet.sqlite` in `folder`.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - limits: The maximum number of queued writes.
    ///   - metrics: Records the durations of commits.
    ///   - pace: Decides when the WAL is checkpointed.
    ///   - last: The last migration to execute; `nil` for the newest.
    ///   - ownsWAL: Whether this process locks the folder, and checkpoints the WAL now and later; a command leaves this
    ///     to a server.
    ///   - lockTimeout: The time that another server may take to release the folder.
    ///   - onProgress: Called with the reason for a delay.
    ///   - isDurable: Checks whether a commit can be forced to the disk; a test may replace it.
    /// - Throws: `DatabaseStartupError`, or the database's error.
    package init(
        in folder: URL,
        limits: AdmissionLimits = AdmissionLimits(),
        metrics: ServerMetrics? = nil,
        checkpoints pace: WALCheckpointPolicy = WALCheckpointPolicy(),
        migratesUpTo last: SchemaMigration? = nil,
        ownsWAL: Bool = true,
        lockTimeout: Duration = .zero,
        onProgress: (StartupProgress) -> Void = { _ in },
        isDurable: (SQLiteConnection) throws -> Bool = { try $0.keepsFullSynchronization() }
    ) throws {
        // The lock comes first: an error thrown below releases it.
        lock =
            ownsWAL
            ? try DatabaseLock(in: folder, timeout: lockTimeout) { onProgress(.waitsForLock($0)) } : nil
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        file = folder.appending(path: "freshet.sqlite")
        try Self.protect(file)
        pool = try DatabasePool(path: file.path, configuration: configuration)
        let status = try SQLiteSchema.status(pool)
        let missing = status.missing(upTo: last)
        if !missing.isEmpty, status.contains(where: \.isApplied) { onProgress(.migratesTables(missing)) }
        try Self.disableAutoCheckpoint(pool)
        try SQLiteSchema.migrate(pool, upTo: last)
        // Pages that a migration or a crash left in the WAL would delay the first refreshes, so they are checkpointed
        // now.
        let trust = WALTrust()
        if ownsWAL, !Self.truncateWAL(pool) { trust.becameUnknown() }
        let checkpoints = ownsWAL ? try Checkpointer(file, pace: pace, trust: trust, metrics: metrics) : nil
        self.checkpoints = checkpoints
        self.trust = trust
        try pool.writeWithoutTransaction { [connections] database in
            try database.execute(sql: "PRAGMA cache_size = -\(Self.cache)")
            try connections.of(database).observeWAL()
        }
        reads = ReadBatcher(on: Self.executor(reader, connections, pool.unsafeRead))
        writes = WriteBatcher(
            maximumQueueLength: limits.writes,
            metrics: metrics,
            didCommit: { checkpoints?.writerDidCommit($0) },
            trust: trust,
            restoreTrust: { try Self.restoreTrust($0, checkpoints) },
            on: Self.executor(writer, connections, pool.writeWithoutTransaction)
        )
        guard try pool.writeWithoutTransaction({ try isDurable(connections.of($0)) }) else {
            throw DatabaseStartupError.notDurable
        }
    }

    /// Opens the existing database of a folder, which a running server may also be using.
    ///
    /// - Throws: `DatabaseStartupError` if there is none, or its schema has another version.
    package init(existingIn folder: URL) throws {
        file = folder.appending(path: "freshet.sqlite")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw DatabaseStartupError.noDatabase(file.path)
        }
        let missing = try SQLiteSchema.status(of: file).missing()
        if let first = missing.first { throw DatabaseStartupError.olderSchema(first.description) }
        try Self.protect(file)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        pool = try DatabasePool(path: file.path, configuration: configuration)
        // Only the server checkpoints: before SQLite 3.51.3, a checkpoint while another process restarts the WAL can
        // lose pages.
        try Self.disableAutoCheckpoint(pool)
        lock = nil
        checkpoints = nil
        let trust = WALTrust()
        self.trust = trust
        reads = ReadBatcher(on: Self.executor(reader, connections, pool.unsafeRead))
        writes = WriteBatcher(
            trust: trust,
            restoreTrust: { try Self.restoreTrust($0, nil) },
            on: Self.executor(writer, connections, pool.writeWithoutTransaction)
        )
    }

    /// Returns an executor whose work accesses one connection of the pool.
    private static func executor(
        _ thread: SQLiteThread,
        _ connections: SQLiteConnections,
        _ access: @escaping @Sendable ((Database) throws -> Void) throws -> Void
    ) -> SQLiteExecutor {
        { work in
            thread.submit {
                do {
                    try access { database in work(Result { try connections.of(database) }) }
                } catch {
                    work(.failure(SQLError.translated(error)))
                }
            }
        }
    }

    /// Checkpoints and truncates the WAL while there is no writer; another process's reader may prevent it.
    ///
    /// - Returns: Whether the WAL is empty.
    @discardableResult
    private static func truncateWAL(_ pool: DatabasePool) -> Bool {
        do {
            // A pool that was closed before has no connection.
            _ = try pool.writeWithoutTransaction { if $0.sqliteConnection != nil { try $0.checkpoint(.truncate) } }
            return true
        } catch { return false }
    }

    /// Makes the WAL reliable after a failed flush, which only a process with a checkpointer can.
    private static func restoreTrust(_ connection: SQLiteConnection, _ checkpoints: Checkpointer?) throws {
        guard let checkpoints else { throw SQLError.busy }
        try checkpoints.restoreTrust(connection)
    }

    /// Disables SQLite's automatic checkpoint at a commit.
    private static func disableAutoCheckpoint(_ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }

    /// Creates the file for this user alone, or rejects one that other users may have read or changed.
    ///
    /// SQLite creates its accompanying files with the same mode.
    private static func protect(_ file: URL) throws {
        do { try PrivateFiles.write([], toNewFile: file) } catch let error as POSIXError where error.code == .EEXIST {}
        for path in ["", "-wal", "-shm"].map({ file.path + $0 }) where FileManager.default.fileExists(atPath: path) {
            guard try PrivateFiles.isPrivateFile(URL(filePath: path)) else {
                throw DatabaseStartupError.unsafeDatabase(path)
            }
        }
    }

    // MARK: - Reading

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        do {
            // GRDB's transactions are not used, because they prepare their statements again each time.
            return try await pool.unsafeRead { [connections] database in
                let connection = try connections.of(database)
                return try connection.inSnapshot { try body(connection) }
            }
        } catch {
            throw SQLError.translated(error)
        }
    }

    package func query<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        reads.enqueue { connection in completion(Result { try body(try connection.get()) }) }
    }

    package func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        do { return try pool.read { try body(try connections.of($0)) } } catch { throw SQLError.translated(error) }
    }

    // MARK: - Writing

    package func durably<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await writes.durably(body)
    }

    package func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        writes.change(id, decide, completion: completion)
    }

    package func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    ) {
        writes.enqueueBestEffort(body, otherwise: dropped)
    }

    package func checkpoint() async {
        guard let checkpoints else { return }
        // The writer answers a commit before it counts its pages.
        _ = try? await pool.writeWithoutTransaction { _ in }
        await checkpoints.checkpoint()
    }

    @discardableResult
    package func backgroundWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        do {
            return try await pool.writeWithoutTransaction { [connections, checkpoints] database in
                let connection = try connections.of(database)
                defer { checkpoints?.writerDidCommit(connection) }
                return try connection.inTransaction { try body(connection) }
            }
        } catch {
            throw SQLError.translated(error)
        }
    }

    package func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        do {
            return try pool.writeWithoutTransaction { [connections, checkpoints, trust] database in
                let connection = try connections.of(database)
                if trust.mustRestart { try Self.restoreTrust(connection, checkpoints) }
                try connection.setFullSynchronization(true)
                defer { try? connection.setFullSynchronization(false) }
                do { return try connection.inTransaction { try body(connection) } } catch {
                    trust.failed(error)
                    throw error
                }
            }
        } catch {
            throw SQLError.translated(error)
        }
    }

    package var mayLoseCommits: Bool { writes.mayLoseCommits }

    // MARK: - Metrics

    package var queueLength: Int { writes.queueLength }
    package var commits: Int { writes.commits }
    package var flushes: Int { writes.flushes }

    /// The sizes of the database file and the WAL.
    package var sizes: [(part: String, bytes: Int)] {
        [("database", file.path), ("log", file.path + "-wal")].map { part, path in
            (part, (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }

    /// Copies the database, and checks the integrity of the copy.
    package func copy(to file: URL) throws {
        do {
            let copy = try DatabaseQueue(path: file.path)
            try pool.backup(to: copy)
            let verdict = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
            try copy.close()
            guard verdict == "ok" else { throw SQLError.damaged(verdict ?? "no verdict") }
        } catch {
            throw SQLError.translated(error)
        }
    }

    // MARK: - Closing

    /// Finishes the writes in progress, checkpoints the WAL, and closes the database.
    ///
    /// The file alone is then a complete copy. If another process's reader prevents the checkpoint, the WAL file is
    /// kept, and no data is lost.
    package func close() throws {
        writer.finish()
        try? checkpoints?.close()
        Self.truncateWAL(pool)
        try detach()
    }

    /// Closes the database without a checkpoint, which is left to the server.
    package func detach() throws {
        writer.finish()
        // Close the checkpointer first, because the last connection to close checkpoints the WAL.
        try? checkpoints?.close()
        // On a second call there is nothing to finalize.
        try? pool.barrierWriteWithoutTransaction { _ in connections.close() }
        try pool.close()
        lock?.release()
    }
}
