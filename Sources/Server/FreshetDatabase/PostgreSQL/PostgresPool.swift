// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// A job that receives a connection, or the error if no connection is available.
typealias ConnectionJob = @Sendable (Result<PostgresConnection, any Error>) -> Void

/// A pool of connections to one database, each with its own thread, and a queue of jobs.
final class PostgresPool<Job: Sendable>: @unchecked Sendable {
    // Unchecked: the condition guards the mutable state.

    /// Executes jobs with a connection, or completes them with the error if there is none.
    typealias Work = @Sendable ([Job], Result<PostgresConnection, any Error>) -> Void

    private let connector: PostgresConnector
    private let maximumQueueLength: Int
    private let maximumBatchSize: Int
    private let lockTimeout: Duration?
    private let work: Work
    /// Guards the properties below; no job runs under it.
    private let condition = NSCondition()
    private var jobs: [Job] = []
    private var isClosed = false
    private var threads: Int

    /// Starts the threads, which connect when there is a job.
    ///
    /// - Parameters:
    ///   - connector: Opens the connections.
    ///   - threads: The number of threads.
    ///   - maximumQueueLength: The number of queued jobs beyond which a job is refused.
    ///   - maximumBatchSize: The maximum number of queued jobs that are executed together.
    ///   - lockTimeout: The time for which a statement waits for a lock; `nil` for no other limit than its own.
    ///   - work: Executes the jobs.
    init(
        _ connector: PostgresConnector,
        threads: Int,
        maximumQueueLength: Int,
        maximumBatchSize: Int = 1,
        lockTimeout: Duration? = nil,
        work: @escaping Work
    ) {
        self.connector = connector
        self.maximumQueueLength = maximumQueueLength
        self.maximumBatchSize = maximumBatchSize
        self.lockTimeout = lockTimeout
        self.work = work
        self.threads = threads
        for _ in 0..<threads { Thread.detachNewThread { [self] in serve() } }
    }

    /// The number of queued jobs.
    var queueLength: Int { condition.withLock { jobs.count } }

    /// Enqueues a job.
    ///
    /// - Returns: `false` if the queue is full or the pool is closed.
    func submit(_ job: Job) -> Bool {
        condition.withLock {
            guard !isClosed, jobs.count < maximumQueueLength else { return false }
            jobs.append(job)
            condition.signal()
            return true
        }
    }

    /// Executes the queued jobs, closes the connections, and returns when both are done.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
            while threads > 0 { condition.wait() }
        }
    }

    /// Returns the next batch of jobs; `nil` once the pool is closed.
    private func next() -> [Job]? {
        condition.withLock {
            while jobs.isEmpty {
                if isClosed { return nil }
                condition.wait()
            }
            let batch = Array(jobs.prefix(maximumBatchSize))
            jobs.removeFirst(batch.count)
            return batch
        }
    }

    private func serve() {
        var connection: PostgresConnection?
        while let batch = next() {
            let result = Result { () throws -> PostgresConnection in
                if let connection, connection.isAlive { return connection }
                connection = nil
                let fresh = try connector.connect(lockTimeout: lockTimeout)
                connection = fresh
                return fresh
            }
            work(batch, result)
            if connection?.isOpen == false { connection = nil }
        }
        connection = nil
        condition.withLock {
            threads -= 1
            condition.broadcast()
        }
    }
}
