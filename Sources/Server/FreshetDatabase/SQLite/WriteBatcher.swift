// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetMetrics
package import FreshetWire
import NIOConcurrencyHelpers

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

    private let execute: SQLiteExecutor
    /// The number of queued writes beyond which a write is refused as an overload.
    private let maximumQueueLength: Int
    private let metrics: ServerMetrics?
    /// Called on the writer's thread after each batch, outside a transaction.
    private let didCommit: @Sendable (SQLiteConnection) -> Void
    /// Guards the queue only; no job runs under it.
    private let waiting = NIOLockedValueBox(Waiting())
    /// Whether a durable write has not been flushed to the disk yet; set before its commit, as readers see it then.
    private let needsFlush = NIOLockedValueBox(false)
    private let trust: WALTrust
    /// Makes all commits durable after a failed flush.
    private let restoreTrust: @Sendable (SQLiteConnection) throws -> Void
    private let commitCount = NIOLockedValueBox(0)
    private let flushCount = NIOLockedValueBox(0)

    /// The number of committed transactions, for tests and measurements.
    var commits: Int { commitCount.withLockedValue { $0 } }
    /// The number of flushes to the disk, for tests and measurements.
    var flushes: Int { flushCount.withLockedValue { $0 } }

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - maximumQueueLength: The number of queued writes beyond which a write is refused as an overload.
    ///   - metrics: Records the durations of commits.
    ///   - didCommit: Called on the writer's thread after each batch, outside a transaction.
    ///   - trust: Whether a flush says anything about earlier writes.
    ///   - restoreTrust: Makes all commits durable after a failed flush; by default, ``WALTrust/restore(with:)``.
    ///   - execute: Runs work with the writer's connection.
    package init(
        maximumQueueLength: Int = AdmissionLimits().writes,
        metrics: ServerMetrics? = nil,
        didCommit: @escaping @Sendable (SQLiteConnection) -> Void = { _ in },
        trust: WALTrust = WALTrust(),
        restoreTrust: (@Sendable (SQLiteConnection) throws -> Void)? = nil,
        on execute: @escaping SQLiteExecutor
    ) {
        self.maximumQueueLength = maximumQueueLength
        self.metrics = metrics
        self.didCommit = didCommit
        self.trust = trust
        self.restoreTrust = restoreTrust ?? trust.restore
        self.execute = execute
    }

    /// Whether a durable commit that readers see may not be on disk yet.
    package var mayLoseCommits: Bool { needsFlush.withLockedValue { $0 } || trust.mustRestart }

    /// The number of queued writes.
    package var queueLength: Int { waiting.withLockedValue { $0.jobs.count } }

    /// Runs `body` in a savepoint of the next batch, and returns once the batch is on disk.
    package func durably<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await enqueue { connection in
            WriteResult(value: try connection.inSavepoint { try body(connection) }, durability: .write)
        }
    }

    /// Changes one session in the next batch, as `ServerDatabase.change(_:_:completion:)` does.
    package func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        enqueue(
            { connection in
                try connection.rotations.change(id, decide) { try AuditTable.insert($0, in: connection) }
            },
            completion: completion
        )
    }

    /// Runs `body` in a savepoint of the next batch, for writes without a waiting caller that may be lost.
    package func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    ) {
        enqueue({ connection in WriteResult(value: try connection.inSavepoint { try body(connection) }) }) {
            (result: Result<Void, any Error>) in
            if case .failure = result { dropped() }
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
        if mustStart { execute { [self] in drain($0) } }
        return isTaken
    }

    /// Commits batches until the queue is empty.
    ///
    /// Runs on the writer's thread.
    private func drain(_ connection: Result<SQLiteConnection, any Error>) {
        while true {
            var batch = take(Self.maximumBatchSize, isLast: true)
            guard let first = batch.first else { return }
            let start = ContinuousClock.now
            let failure = commit(&batch, connection)
            if let metrics {
                metrics.observe("freshet_commit_seconds", ContinuousClock.now - start)
                // The first job was queued longest.
                metrics.observe("freshet_write_wait_seconds", start - first.since)
            }
            for job in batch { job.finish(failure) }
            if let connection = try? connection.get() { didCommit(connection) }
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
    ///   - connection: The writer's connection.
    /// - Returns: The error if the transaction was not written.
    private func commit(
        _ batch: inout [any WriteJob],
        _ connection: Result<SQLiteConnection, any Error>
    ) -> (any Error)? {
        do {
            var durability = WriteDurability.none
            let connection = try connection.get()
            try connection.inTransaction {
                var done = 0
                while done < batch.count {
                    for job in batch[done...] {
                        // If a job ended the transaction, each later job would be committed separately, but be reported
                        // as failed.
                        guard connection.isInTransaction else { return }
                        durability = max(durability, job.run(on: connection))
                        if durability == .write { needsFlush.withLockedValue { $0 = true } }
                    }
                    done = batch.count
                    if connection.isInTransaction { batch += take(Self.maximumBatchSize - done) }
                }
            }
            commitCount.withLockedValue { $0 += 1 }
            // After a failed flush, the change is visible to readers; no response may depend on it before the next
            // flush. A process that ended may have left such a change.
            let mustFlush = durability == .earlierCommits && trust.mustRestart
            if mustFlush || needsFlush.withLockedValue({ $0 }) { try flush(connection) }
            return nil
        } catch {
            return SQLError.translated(error)
        }
    }

    /// Flushes all commits to the disk.
    private func flush(_ connection: SQLiteConnection) throws {
        do {
            if trust.mustRestart { try restoreTrust(connection) } else { try connection.flush() }
        } catch {
            trust.failed(error)
            throw error
        }
        needsFlush.withLockedValue { $0 = false }
        flushCount.withLockedValue { $0 += 1 }
    }
}
