// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Exponential back-off with full jitter.
public struct RetryBackoff: Sendable, Equatable {
    /// The upper bound of the first delay.
    public var first: Duration
    /// The maximum upper bound of a delay.
    public var limit: Duration
    /// The longest `Retry-After` that is honoured; a server's mistake must not stop a client for a day.
    public var longestRetryAfter: Duration

    /// Creates a back-off with a first bound of `first`, which doubles up to `limit`.
    public init(
        first: Duration = .milliseconds(250),
        limit: Duration = .seconds(60),
        longestRetryAfter: Duration = .seconds(300)
    ) {
        self.first = first
        self.limit = limit
        self.longestRetryAfter = longestRetryAfter
    }

    /// Returns the delay after `failures` failed attempts in a row.
    ///
    /// `failures` counts from 1, `retryAfter` is the server's, and `chance` is uniformly distributed between 0 and 1.
    package func delay(afterFailures failures: Int, retryAfter: Duration?, chance: Double) -> Duration {
        let doublings = Swift.min(Swift.max(failures, 1) - 1, 30)
        let ceiling = Swift.min(limit.bounded, first.bounded * (1 << doublings))
        let jitter = ceiling * Swift.min(Swift.max(chance, 0), 1)
        // Many clients got the same `Retry-After`, so the jitter is added to it.
        return retryAfter.map { honoured($0) + jitter } ?? jitter
    }

    /// Returns the part of a server's `Retry-After` that is honoured.
    func honoured(_ retryAfter: Duration) -> Duration {
        Swift.min(retryAfter.bounded, longestRetryAfter.bounded)
    }

    /// The back-off of background refreshes, which are retried rarely and without a limit.
    package var forBackgroundRefresh: RetryBackoff { RetryBackoff(first: first, limit: max(limit, .seconds(300))) }
}
