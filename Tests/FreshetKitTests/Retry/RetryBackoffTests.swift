// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Back-off` {
    let backoff = RetryBackoff(first: .seconds(1), limit: .seconds(20), longestRetryAfter: .seconds(300))

    @Test func `the longest retry delay doubles with each failure up to the limit`() {
        let limits = (1...8).map { backoff.delay(afterFailures: $0, retryAfter: nil, chance: 1) }
        #expect(limits == [1, 2, 4, 8, 16, 20, 20, 20].map(Duration.seconds))
    }

    @Test func `the retry delay does not exceed its limit, regardless of the number of failures`() {
        #expect(backoff.delay(afterFailures: .max, retryAfter: nil, chance: 1) == .seconds(20))
    }

    @Test func `a retry delay has full jitter, from zero to its upper bound`() {
        #expect(backoff.delay(afterFailures: 3, retryAfter: nil, chance: 0) == .zero)
        #expect(backoff.delay(afterFailures: 3, retryAfter: nil, chance: 0.5) == .seconds(2))
    }

    @Test func `a retry delay is at least the server's Retry-After up to a maximum, plus jitter`() {
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(7), chance: 0) == .seconds(7))
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(7), chance: 1) == .seconds(8))
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(86_400), chance: 0) == .seconds(300))
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(-5), chance: 0) == .zero)
    }
}
