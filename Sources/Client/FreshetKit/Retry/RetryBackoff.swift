// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How long to wait before each further attempt: full jitter below a limit that doubles.
public struct RetryBackoff: Sendable, Equatable {
    /// The limit of the first wait.
    public var first: Duration
    /// The greatest limit.
    public var limit: Duration
    /// The longest `Retry-After` that is honoured; a server's slip of the pen must not stop a client for a day.
    public var longestRetryAfter: Duration

    /// Waits at most `first`, then at most twice as long, and never longer than `limit`.
    public init(
        first: Duration = .milliseconds(250),
        limit: Duration = .seconds(60),
        longestRetryAfter: Duration = .seconds(300)
    ) {
        self.first = first
        self.limit = limit
        self.longestRetryAfter = longestRetryAfter
    }

    /// How long to wait after `failures` failed attempts in a row.
    ///
    /// Failures are counted from 1, `retryAfter` is what the server asked for, and the chance is evenly spread between
    /// 0 and 1.
    package func delay(afterFailures failures: Int, retryAfter: Duration?, chance: Double) -> Duration {
        let doublings = Swift.min(Swift.max(failures, 1) - 1, 30)
        let ceiling = Swift.min(limit.bounded, first.bounded * (1 << doublings))
        let jitter = ceiling * Swift.min(Swift.max(chance, 0), 1)
        // Everybody was told the same moment, so the jitter comes on top of it.
        return retryAfter.map { honoured($0) + jitter } ?? jitter
    }

    /// The part of a server's `Retry-After` that is honoured.
    func honoured(_ retryAfter: Duration) -> Duration {
        Swift.min(retryAfter.bounded, longestRetryAfter.bounded)
    }

    /// The same for refreshes that nobody waits for: they go on for ever, and rarely.
    package var forBackgroundRefresh: RetryBackoff { RetryBackoff(first: first, limit: max(limit, .seconds(300))) }
}
