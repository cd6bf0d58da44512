// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// A number of connections to one database, each with a thread of its own, and a line of jobs before them.
final class PostgresPool<Job: Sendable>: @unchecked Sendable {
    // Unchecked: the condition guards what changes.

    /// Does jobs with a connection, or tells those who wait why there is none.
    typealias Work = @Sendable ([Job], Result<PostgresConnection, any Error>) -> Void

    private let connector: PostgresConnector
    private let maximumQueueLength: Int
    private let maximumBatchSize: Int
    private let work: Work
    /// Guards what follows; no job runs under it.
    private let condition = NSCondition()
    private var jobs: [Job] = []
    private var isClosed = false
    private var threads: Int

    /// Starts the threads; they connect when there is something to do.
    ///
    /// - Parameters:
    ///   - connector: Makes the connections.
    ///   - threads: How many.
    ///   - maximumQueueLength: More jobs than this do not wait.
    ///   - maximumBatchSize: So many that wait are done together.
    ///   - work: Does them.
    init(
        _ connector: PostgresConnector,
        threads: Int,
        maximumQueueLength: Int,
        maximumBatchSize: Int = 1,
        work: @escaping Work
    ) {
        self.connector = connector
        self.maximumQueueLength = maximumQueueLength
        self.maximumBatchSize = maximumBatchSize
        self.work = work
        self.threads = threads
        for _ in 0..<threads { Thread.detachNewThread { [self] in serve() } }
    }

    /// How many jobs wait.
    var queueLength: Int { condition.withLock { jobs.count } }

    /// Puts a job in line.
    ///
    /// - Returns: `false` if the line is too long, or nobody serves it any more.
    func submit(_ job: Job) -> Bool {
        condition.withLock {
            guard !isClosed, jobs.count < maximumQueueLength else { return false }
            jobs.append(job)
            condition.signal()
            return true
        }
    }

    /// Does what is in line, ends the connections, and waits for that.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
            while threads > 0 { condition.wait() }
        }
    }

    /// What is to be done next; `nil` at the end.
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
                let fresh = try connector.connect()
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
