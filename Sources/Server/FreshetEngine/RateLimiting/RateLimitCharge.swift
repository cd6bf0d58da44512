// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One token of one bucket.
package struct RateLimitCharge: Equatable, Sendable {
    /// The attempts that a rate limit counts.
    package enum Counting: Sendable {
        /// Every attempt.
        case attempts
        /// Attempts that failed; a successful one gives its token back.
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

/// The buckets that one attempt is counted in.
///
/// The first alternative of which every bucket has a token is charged, and no other one. The attempt is refused if there is
/// none.
package struct RateLimitPlan: Equatable, Sendable {
    package var alternatives: [[RateLimitCharge]]

    package init(_ alternatives: [RateLimitCharge]...) { self.alternatives = alternatives }

    package init(alternatives: [[RateLimitCharge]]) { self.alternatives = alternatives }
}
