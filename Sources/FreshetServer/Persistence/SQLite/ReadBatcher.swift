// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB
import NIOConcurrencyHelpers

/// Gives all questions that wait one reader, one after the other, since what a small one costs is the way there and back.
final class ReadBatcher: Sendable {
    /// Asks, or hears why nobody can be asked.
    typealias Job = @Sendable (Result<SQLiteConnection, any Error>) -> Void

    private struct Waiting {
        var jobs: [Job] = []
        var isDraining = false
    }

    private let pool: DatabasePool
    private let connections: SQLiteConnections
    /// Guards the queue only; nothing runs under it.
    private let waiting = NIOLockedValueBox(Waiting())

    init(_ pool: DatabasePool, _ connections: SQLiteConnections) {
        self.pool = pool
        self.connections = connections
    }

    /// Puts a job in line; it runs on the reader's queue.
    func enqueue(_ job: @escaping Job) {
        let mustStart = waiting.withLockedValue { waiting in
            waiting.jobs.append(job)
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if mustStart { pool.asyncUnsafeRead { [self] in drain($0) } }
    }

    private func drain(_ database: Result<Database, any Error>) {
        let connection = Result { try connections.of(try database.get()) }.mapError { SQLError.translated($0) }
        while true {
            let batch = waiting.withLockedValue { waiting in
                defer { waiting.jobs = [] }
                waiting.isDraining = !waiting.jobs.isEmpty
                return waiting.jobs
            }
            if batch.isEmpty { return }
            for job in batch { job(connection) }
        }
    }
}
