// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Dispatch
import FreshetEngine
import FreshetMetrics
import GRDB
import NIOConcurrencyHelpers
import NIOPosix
import Synchronization

/// Commits queued writes in batches, because a small write's main cost is its commit.
///
/// While one batch commits, writes are queued for the next one. A write returns after its commit, and after an fsync if
/// it must be durable, so that logins, logouts and revocations survive a power failure. Rotations do not require an
/// fsync, because clients recover from a lost one.
package final class WriteBatcher: Sendable {
    private struct Waiting {
        var jobs: [any WriteJob] = []
        var isDraining = false
    }

    /// The maximum number of writes in a transaction, so that no caller waits forever.
    static let maximumBatchSize = 256

    /// A single thread.
    ///
    /// On Dispatch's threads, the writer used ten percent more CPU time per refresh.
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let pool: DatabasePool
    private let connections: SQLiteConnections
    /// The number of queued writes beyond which a write is refused as an overload.
    private let maximumQueueLength: Int
    private let metrics: ServerMetrics?
    private let checkpoints: Checkpointer?
    /// Guards the queue only; no job runs under it.
    private let waiting = NIOLockedValueBox(Waiting())
    /// Whether a committed durable write has not been flushed to the disk yet.
    private let needsFlush = Atomic<Bool>(false)
    /// The number of committed transactions, for tests and measurements.
    let commits = Atomic<Int>(0)
    /// The number of flushes to the disk, for tests and measurements.
    let flushes = Atomic<Int>(0)

    init(
        _ pool: DatabasePool,
        _ connections: SQLiteConnections,
        maximumQueueLength: Int = AdmissionLimits().writes,
        metrics: ServerMetrics? = nil,
        checkpoints: Checkpointer? = nil
    ) {
        self.checkpoints = checkpoints
        self.pool = pool
        self.connections = connections
        self.maximumQueueLength = maximumQueueLength
        self.metrics = metrics
        thread.start()
    }

    deinit { thread.shutdownGracefully { _ in } }

    /// The number of queued writes.
    var queueLength: Int { waiting.withLockedValue { $0.jobs.count } }

    /// Runs `body` in a savepoint of the next batch, and returns once the batch is on disk.
    func durably<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await enqueue { connection in
            WriteResult(value: try connection.inSavepoint { try body(connection) }, mustBeDurable: true)
        }
    }

    private func enqueue<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> WriteResult<Value>
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(body) { continuation.resume(with: $0) }
        }
    }

    /// Enqueues `body`, and calls `completion` on the writer's thread after its commit.
    func enqueue<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> WriteResult<Value>,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        if !submit(Write(body, completion)) { completion(.failure(APIError.overloaded("too many writes at once"))) }
    }

    /// Enqueues a job.
    ///
    /// - Returns: `false` if the queue is full.
    private func submit(_ job: some WriteJob) -> Bool {
        let (isTaken, mustStart) = waiting.withLockedValue { waiting in
            guard waiting.jobs.count < maximumQueueLength else { return (false, false) }
            waiting.jobs.append(job)
            defer { waiting.isDraining = true }
            return (true, !waiting.isDraining)
        }
        if mustStart { thread.submit { [self] _ in pool.writeWithoutTransaction { drain($0) } } }
        return isTaken
    }

    /// Waits for all writes that were enqueued before; must not be called on the writer's thread.
    func finish() {
        let isDone = DispatchSemaphore(value: 0)
        thread.submit { _ in isDone.signal() }
        isDone.wait()
    }

    /// Commits batches until the queue is empty.
    ///
    /// Runs on the writer's thread.
    private func drain(_ database: Database) {
        while true {
            var batch = take(Self.maximumBatchSize, isLast: true)
            guard let first = batch.first else { return }
            let start = ContinuousClock.now
            let failure = commit(&batch, database)
            if let metrics {
                metrics.observe("freshet_commit_seconds", ContinuousClock.now - start)
                // The first job was queued longest.
                metrics.observe("freshet_write_wait_seconds", start - first.since)
            }
            for job in batch { job.finish(failure) }
            if let checkpoints, let connection = try? connections.of(database) {
                checkpoints.writerDidCommit(connection)
            }
        }
    }

    /// Removes the first jobs from the queue.
    ///
    /// - Parameters:
    ///   - count: The maximum number of jobs.
    ///   - isLast: Whether the writer stops if there are none, so that the next job has to start it.
    /// - Returns: The removed jobs.
    private func take(_ count: Int, isLast: Bool = false) -> [any WriteJob] {
        waiting.withLockedValue { waiting in
            let taken = Array(waiting.jobs.prefix(count))
            waiting.jobs.removeFirst(taken.count)
            if isLast { waiting.isDraining = !taken.isEmpty }
            return taken
        }
    }

    /// Runs a batch in one transaction, together with the writes that are enqueued in the meantime.
    ///
    /// - Parameters:
    ///   - batch: The first writes; on return, all writes of the transaction.
    ///   - database: The writer's connection.
    /// - Returns: The error if the transaction was not written.
    private func commit(_ batch: inout [any WriteJob], _ database: Database) -> (any Error)? {
        do {
            var mustBeDurable = false
            let connection = try connections.of(database)
            try connection.inTransaction {
                var done = 0
                while done < batch.count {
                    for job in batch[done...] {
                        // If a job ended the transaction, each later job would be committed separately, but be reported
                        // as failed.
                        guard connection.isInTransaction else { return }
                        if job.run(on: connection) { mustBeDurable = true }
                    }
                    done = batch.count
                    if connection.isInTransaction { batch += take(Self.maximumBatchSize - done) }
                }
            }
            commits.add(1, ordering: .relaxed)
            // After a failed flush, the change is visible to readers; no response may depend on it before the next
            // flush.
            if mustBeDurable { needsFlush.store(true, ordering: .relaxed) }
            if needsFlush.load(ordering: .relaxed) { try flush(database) }
            return nil
        } catch {
            return SQLError.translated(error)
        }
    }

    /// Flushes all commits to the disk: one commit under FULL syncs the whole WAL before it.
    private func flush(_ database: Database) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        defer { try? database.execute(sql: "PRAGMA synchronous = NORMAL") }
        try database.inTransaction(.immediate) {
            try database.execute(sql: "PRAGMA user_version = \(commits.load(ordering: .relaxed) & 0x7FFF_FFFF)")
            return .commit
        }
        needsFlush.store(false, ordering: .relaxed)
        flushes.add(1, ordering: .relaxed)
    }

    /// Whether the writer's connection actually keeps `synchronous = FULL`, which GRDB may override.
    func keepsFullSynchronization() throws -> Bool {
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            defer { try? database.execute(sql: "PRAGMA synchronous = NORMAL") }
            return try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2
        }
    }
}
