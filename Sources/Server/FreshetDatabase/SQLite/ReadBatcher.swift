// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB
import NIOConcurrencyHelpers
import NIOPosix

/// Gives all questions that wait one reader, one after the other, since what a small one costs is the way there and back.
final class ReadBatcher: Sendable {
    /// Asks, or hears why nobody can be asked.
    typealias Job = @Sendable (Result<SQLiteConnection, any Error>) -> Void

    private struct Waiting {
        var jobs: [Job] = []
        var isDraining = false
    }

    /// Always the same one, as in ``WriteBatcher``.
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let pool: DatabasePool
    private let connections: SQLiteConnections
    /// Guards the queue only; nothing runs under it.
    private let waiting = NIOLockedValueBox(Waiting())

    init(_ pool: DatabasePool, _ connections: SQLiteConnections) {
        self.pool = pool
        self.connections = connections
        thread.start()
    }

    deinit { thread.shutdownGracefully { _ in } }

    /// Puts a job in line; it runs on the reader's thread.
    func enqueue(_ job: @escaping Job) {
        let mustStart = waiting.withLockedValue { waiting in
            waiting.jobs.append(job)
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if mustStart { thread.submit { [self] _ in drain() } }
    }

    private func drain() {
        do { try pool.unsafeRead { drain(.success(try connections.of($0))) } } catch {
            drain(.failure(SQLError.translated(error)))
        }
    }

    private func drain(_ connection: Result<SQLiteConnection, any Error>) {
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
