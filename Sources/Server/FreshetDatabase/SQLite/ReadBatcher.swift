// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers

/// Runs queued queries in sequence on one reader, because the thread hop costs more than a small query.
final class ReadBatcher: Sendable {
    /// A query, which gets a connection, or the error if there is none.
    typealias Job = @Sendable (Result<SQLiteConnection, any Error>) -> Void

    private struct Waiting {
        var jobs: [Job] = []
        var isDraining = false
    }

    private let execute: SQLiteExecutor
    /// Guards the queue only; no job runs under it.
    private let waiting = NIOLockedValueBox(Waiting())

    init(on execute: @escaping SQLiteExecutor) { self.execute = execute }

    /// Enqueues a job, which runs on the reader's thread.
    func enqueue(_ job: @escaping Job) {
        let mustStart = waiting.withLockedValue { waiting in
            waiting.jobs.append(job)
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if mustStart { execute { [self] in drain($0) } }
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
