// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetMetrics
import Synchronization

/// What is counted of the work with a PostgreSQL database.
final class PostgresCounters: Sendable {
    let commits = Atomic<Int>(0)
    let flushes = Atomic<Int>(0)
    let metrics: ServerMetrics?

    init(_ metrics: ServerMetrics?) { self.metrics = metrics }

    /// A transaction was committed, in so much time.
    func recordCommit(isDurable: Bool, _ span: Duration) {
        commits.add(1, ordering: .relaxed)
        if isDurable { flushes.add(1, ordering: .relaxed) }
        metrics?.observe("freshet_commit_seconds", span)
    }

    /// A job waited for its turn.
    func recordWait(since moment: ContinuousClock.Instant) {
        metrics?.observe("freshet_write_wait_seconds", ContinuousClock.now - moment)
    }
}
