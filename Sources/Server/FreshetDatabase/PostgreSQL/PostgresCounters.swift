// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetMetrics
import NIOConcurrencyHelpers

/// The commit counters and timings of a PostgreSQL database.
final class PostgresCounters: Sendable {
    private let counts = NIOLockedValueBox((commits: 0, flushes: 0))
    let metrics: ServerMetrics?

    init(_ metrics: ServerMetrics?) { self.metrics = metrics }

    var commits: Int { counts.withLockedValue { $0.commits } }
    var flushes: Int { counts.withLockedValue { $0.flushes } }

    /// Records a committed transaction and its duration.
    func recordCommit(isDurable: Bool, _ span: Duration) {
        counts.withLockedValue {
            $0.commits += 1
            if isDurable { $0.flushes += 1 }
        }
        metrics?.observe("freshet_commit_seconds", span)
    }

    /// Records the time that a job was queued.
    func recordWait(since moment: ContinuousClock.Instant) {
        metrics?.observe("freshet_write_wait_seconds", ContinuousClock.now - moment)
    }
}
