// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A charge of one token to one bucket.
package struct RateLimitCharge: Equatable, Sendable {
    /// The attempts that a rate limit counts.
    package enum Counting: Sendable {
        /// Every attempt.
        case attempts
        /// Attempts that failed; a successful attempt returns its token.
        case failures
    }

    package var key: RateLimitKey
    package var limit: RateLimit
    package var counting: Counting

    package init(_ key: RateLimitKey, _ limit: RateLimit, counting: Counting = .attempts) {
        self.key = key
        self.limit = limit
        self.counting = counting
    }
}

/// The buckets in which one attempt is counted.
///
/// Only the first alternative whose buckets all have a token is charged. If there is none, the attempt is refused.
package struct RateLimitPlan: Equatable, Sendable {
    package var alternatives: [[RateLimitCharge]]

    package init(_ alternatives: [RateLimitCharge]...) { self.alternatives = alternatives }

    package init(alternatives: [[RateLimitCharge]]) { self.alternatives = alternatives }
}
