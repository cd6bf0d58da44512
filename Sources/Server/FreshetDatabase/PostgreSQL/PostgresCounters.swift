// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetMetrics
import Synchronization

/// The commit counters and timings of a PostgreSQL database.
final class PostgresCounters: Sendable {
    let commits = Atomic<Int>(0)
    let flushes = Atomic<Int>(0)
    let metrics: ServerMetrics?

    init(_ metrics: ServerMetrics?) { self.metrics = metrics }

    /// Records a committed transaction and its duration.
    func recordCommit(isDurable: Bool, _ span: Duration) {
        commits.add(1, ordering: .relaxed)
        if isDurable { flushes.add(1, ordering: .relaxed) }
        metrics?.observe("freshet_commit_seconds", span)
    }

    /// Records the time that a job was queued.
    func recordWait(since moment: ContinuousClock.Instant) {
        metrics?.observe("freshet_write_wait_seconds", ContinuousClock.now - moment)
    }
}
