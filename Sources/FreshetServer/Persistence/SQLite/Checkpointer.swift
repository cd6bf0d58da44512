// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDBSQLite

/// Moves the log into the database file, between two transactions of the writer's.
///
/// At a commit, where SQLite would do it by itself, all refreshes that wait for that commit would wait for it, too.
final class Checkpointer: @unchecked Sendable {
    // Unchecked: only the writer comes here, as GRDB makes sure.
    private var pace: CheckpointPace
    private let writeback: LogWriteback
    private let metrics: ServerMetrics?

    init(pace: CheckpointPace, writeback: LogWriteback, metrics: ServerMetrics? = nil) {
        self.pace = pace
        self.writeback = writeback
        self.metrics = metrics
    }

    /// Takes note of what the connection has written since the last time, and moves the log if enough has gathered.
    ///
    /// A failure loses nothing: it is all in the log, and the next checkpoint comes soon.
    func writerHasWritten(_ connection: SQLiteConnection) {
        let pages = connection.takeWrittenPages()
        if pace.isDue(after: pages) { try? checkpoint(connection) } else { writeback.logHasGrown(by: pages) }
    }

    /// Moves the log, however little has gathered; but not if that is nothing.
    ///
    /// A checkpoint behind one that moved all is what other connections must not write beside, before SQLite 3.51.3.
    func settle(_ connection: SQLiteConnection) throws {
        _ = pace.isDue(after: connection.takeWrittenPages())
        if pace.hasGathered { try checkpoint(connection) }
    }

    /// Moves what is in the log and no reader is in need of.
    private func checkpoint(_ connection: SQLiteConnection) throws {
        let start = ContinuousClock.now
        var result: CheckpointPace.Result?
        defer {
            let duration = ContinuousClock.now - start
            pace.checkpointed(in: duration, result)
            metrics?.observe("freshet_checkpoint_seconds", duration)
        }
        result = try connection.row("PRAGMA wal_checkpoint(PASSIVE)", []) { row in
            CheckpointPace.Result(log: Int(try row.integer(1)), moved: Int(try row.integer(2)))
        }
        writeback.logWasMoved()
        // As while another one is under way, which no command of ours begins.
        if let log = result?.log, log < 0 { result = nil }
    }
}
