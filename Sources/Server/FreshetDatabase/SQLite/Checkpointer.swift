// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetMetrics
import GRDB
import GRDBSQLite
import NIOConcurrencyHelpers

/// Checkpoints the WAL on a background connection, and the remaining pages between the writer's transactions.
///
/// At a commit, where SQLite checkpoints by default, all refreshes that wait for that commit would wait for the
/// checkpoint, too. A failure loses nothing: the WAL has all pages, and the next attempt follows soon.
final class Checkpointer: Sendable {
    private let pace: NIOLockedValueBox<WALCheckpointPolicy>
    /// The connection that checkpoints in the background; it writes nothing else.
    private let background: DatabaseQueue
    /// The connection that flushes checkpointed pages to the disk.
    ///
    /// It is separate, because a failed flush is reported once to each open file, and the two connections that
    /// checkpoint must not miss it.
    private let flusher: DatabaseQueue
    private let metrics: ServerMetrics?
    private let trust: WALTrust

    /// Opens the connections of a checkpointer.
    ///
    /// - Parameters:
    ///   - file: The database, which is open already.
    ///   - pace: Decides when to checkpoint.
    ///   - trust: Whether the WAL can be relied on; otherwise the writer empties it, and this does nothing.
    ///   - metrics: Records the durations of checkpoints.
    /// - Throws: The database's error.
    init(_ file: URL, pace: WALCheckpointPolicy, trust: WALTrust, metrics: ServerMetrics? = nil) throws {
        self.trust = trust
        self.pace = NIOLockedValueBox(pace)
        self.metrics = metrics
        var configuration = Configuration()
        configuration.label = "freshet.checkpoints"
        configuration.qos = .utility
        background = try DatabaseQueue(path: file.path, configuration: configuration)
        configuration.readonly = true
        flusher = try DatabaseQueue(path: file.path, configuration: configuration)
        // By default, SQLite would checkpoint at a commit if this connection restarted the WAL.
        try background.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }

    /// Records the writer's last commit, and checkpoints if that is due.
    ///
    /// - Parameter connection: The writer's connection, outside a transaction.
    func writerDidCommit(_ connection: SQLiteConnection) {
        guard let pages = connection.takeWALPageCount(), let step = pace.withLockedValue({ $0.committed(pages) })
        else { return }
        switch step {
        case .waitForBackground: background.writeWithoutTransaction { _ in }
        case _ where trust.mustRestart:
            move(by: .writer) {
                try restoreTrust(connection)
                return WALCheckpointPolicy.Result(log: 0, moved: 0)
            }
        case .checkpointInBackground: checkpointInBackground()
        case .checkpointOnWriter: move(by: .writer) { try connection.checkpointWAL() }
        }
    }

    /// Checkpoints the WAL in the background, regardless of its length, and waits for the end.
    func checkpoint() async {
        if pace.withLockedValue({ $0.beginFinalCheckpoint() }) { checkpointInBackground() }
        await withCheckedContinuation { continuation in
            background.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
    }

    /// Makes the WAL reliable after a failed flush: moves all of its pages into the database, and starts anew.
    ///
    /// - Parameter connection: The writer's connection, outside a transaction.
    /// - Throws: `SQLError`; busy while a reader needs the WAL.
    func restoreTrust(_ connection: SQLiteConnection) throws {
        // A running checkpoint ends first, and another one does not begin.
        background.writeWithoutTransaction { _ in }
        try trust.restore(with: connection)
    }

    /// Completes a running checkpoint and closes the connections, without checkpointing the rest of the WAL.
    func close() throws {
        try background.close()
        try flusher.close()
    }

    private func checkpointInBackground() {
        background.asyncWriteWithoutTransaction { [self] database in
            move(by: .background) {
                // This block was queued behind the closing of the connection.
                guard database.sqliteConnection != nil else { throw SQLError.closed }
                // The pages would reach the database before those of the WAL are on the disk.
                guard !trust.mustRestart else { throw SQLError.busy }
                let (log, moved) = try database.checkpoint(.passive)
                // Without this flush, the writer's checkpoint of a long WAL would do it, and block for a tenth of a
                // second.
                try flusher.read(Self.flush)
                return WALCheckpointPolicy.Result(log: log, moved: moved)
            }
        }
    }

    /// Flushes the database file to the disk.
    ///
    /// The existing descriptor is used: opening and closing the file would release SQLite's locks.
    private static func flush(_ database: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file, let sync = file.pointee.pMethods?.pointee.xSync else { throw SQLError.closed }
        let code = sync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private func move(by place: WALCheckpointPolicy.Place, _ body: () throws -> WALCheckpointPolicy.Result) {
        let start = ContinuousClock.now
        var result: WALCheckpointPolicy.Result?
        do { result = try body() } catch { trust.failed(error) }
        metrics?.observe("freshet_checkpoint_seconds", ContinuousClock.now - start, [("by", place.rawValue)])
        pace.withLockedValue { $0.checkpointed(result) }
    }
}
