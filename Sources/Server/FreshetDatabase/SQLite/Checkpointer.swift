// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetMetrics
import GRDB
import GRDBSQLite
import NIOConcurrencyHelpers

/// Moves the log into the database file: most of it on a connection of its own, the rest between two of the writer's transactions.
///
/// At a commit, where SQLite would do it by itself, all refreshes that wait for that commit would wait for it, too. A failure
/// loses nothing: it is all in the log, and the next try comes soon.
final class Checkpointer: Sendable {
    private let pace: NIOLockedValueBox<WALCheckpointPolicy>
    /// It writes nothing but what it moves.
    private let background: DatabaseQueue
    /// It has what was moved written to the disk.
    ///
    /// Apart, because a failure is told once to each who has the file open, and the two that move must not miss it.
    private let flusher: DatabaseQueue
    private let metrics: ServerMetrics?

    /// - Parameters:
    ///   - file: The database, which is open already.
    ///   - pace: When the log is moved.
    ///   - metrics: Told how long that takes.
    /// - Throws: whatever the database says.
    init(_ file: URL, pace: WALCheckpointPolicy, metrics: ServerMetrics? = nil) throws {
        self.pace = NIOLockedValueBox(pace)
        self.metrics = metrics
        var configuration = Configuration()
        configuration.label = "freshet.checkpoints"
        configuration.qos = .utility
        background = try DatabaseQueue(path: file.path, configuration: configuration)
        configuration.readonly = true
        flusher = try DatabaseQueue(path: file.path, configuration: configuration)
        // A log that it opened anew would be SQLite's to move.
        try background.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }

    /// Takes note of what the writer has committed since the last time, and does about it what is due.
    ///
    /// - Parameter connection: The writer's, outside a transaction.
    func writerDidCommit(_ connection: SQLiteConnection) {
        guard let pages = connection.takeWALPageCount() else { return }
        switch pace.withLockedValue({ $0.committed(pages) }) {
        case .checkpointInBackground: checkpointInBackground()
        case .checkpointOnWriter: move(by: .writer) { try connection.checkpointWAL() }
        case .waitForBackground: background.writeWithoutTransaction { _ in }
        case nil: break
        }
    }

    /// Has what is in the log moved aside, however little it is, and returns when that is done.
    func checkpoint() async {
        if pace.withLockedValue({ $0.beginFinalCheckpoint() }) { checkpointInBackground() }
        await withCheckedContinuation { continuation in
            background.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
    }

    /// Ends what is under way, and lets go of the database; the log stays as it is.
    func close() throws {
        try background.close()
        try flusher.close()
    }

    private func checkpointInBackground() {
        background.asyncWriteWithoutTransaction { [self] database in
            move(by: .background) {
                // What was put in line behind the end.
                guard database.sqliteConnection != nil else { throw SQLError.closed }
                let (log, moved) = try database.checkpoint(.passive)
                // Left to the one that moves the rest of a long log, which is the writer's, it would take a tenth of a second.
                try flusher.read(Self.flush)
                return WALCheckpointPolicy.Result(log: log, moved: moved)
            }
        }
    }

    /// Waits until what was written to the file is on the disk; opening and closing it would end SQLite's locks.
    private static func flush(_ database: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file, let sync = file.pointee.pMethods?.pointee.xSync else { throw SQLError.closed }
        let code = sync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private func move(by place: WALCheckpointPolicy.Place, _ body: () throws -> WALCheckpointPolicy.Result) {
        let start = ContinuousClock.now
        let result = try? body()
        metrics?.observe("freshet_checkpoint_seconds", ContinuousClock.now - start, [("by", place.rawValue)])
        pace.withLockedValue { $0.checkpointed(result) }
    }
}
