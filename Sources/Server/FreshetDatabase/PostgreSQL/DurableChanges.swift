// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// The changes of sessions that may have to wait, on the connections for durable transactions.
///
/// A durable commit waits for a synchronous standby without end, and its transaction holds the row's lock meanwhile.
/// Later changes of that session follow it here, so that the connections for rotations wait for neither.
final class DurableChanges: Sendable {
    private let pool: PostgresPool<ConnectionJob>
    private let counters: PostgresCounters
    /// The number of changes of each session that are queued or running.
    private let counts = NIOLockedValueBox<[SessionID: Int]>([:])

    init(on pool: PostgresPool<ConnectionJob>, counters: PostgresCounters) {
        self.pool = pool
        self.counters = counters
    }

    /// Returns whether a change of this session is queued or running, so that further ones belong behind it.
    func contains(_ id: SessionID) -> Bool { counts.withLockedValue { $0[id] != nil } }

    /// Enqueues changes that are written in one transaction; they fail if the queue is full.
    func enqueue(_ jobs: [RotationJob]) {
        counts.withLockedValue { counts in
            for job in jobs { counts[job.id, default: 0] += 1 }
        }
        let isTaken = pool.submit { [self] connection in
            switch connection {
            case .success(let connection): PostgresRotations(connection: connection, counters: counters).run(jobs)
            case .failure(let error): jobs.forEach { $0.fail(error) }
            }
            remove(jobs)
        }
        guard !isTaken else { return }
        remove(jobs)
        for job in jobs { job.fail(PostgresDatabase.overloaded) }
    }

    private func remove(_ jobs: [RotationJob]) {
        counts.withLockedValue { counts in
            for job in jobs {
                let count = counts[job.id] ?? 1
                counts[job.id] = count > 1 ? count - 1 : nil
            }
        }
    }
}
