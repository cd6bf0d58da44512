// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Back-off` {
    let backoff = RetryBackoff(first: .seconds(1), limit: .seconds(20), longestRetryAfter: .seconds(300))

    @Test func `the limit doubles, and stays`() {
        let limits = (1...8).map { backoff.delay(afterFailures: $0, retryAfter: nil, chance: 1) }
        #expect(limits == [1, 2, 4, 8, 16, 20, 20, 20].map(Duration.seconds))
    }

    @Test func `it never stops for ever, however many failures there were`() {
        #expect(backoff.delay(afterFailures: .max, retryAfter: nil, chance: 1) == .seconds(20))
    }

    @Test func `jitter is full`() {
        #expect(backoff.delay(afterFailures: 3, retryAfter: nil, chance: 0) == .zero)
        #expect(backoff.delay(afterFailures: 3, retryAfter: nil, chance: 0.5) == .seconds(2))
    }

    @Test func `what the server asks for is kept, with the jitter on top, and capped`() {
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(7), chance: 0) == .seconds(7))
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(7), chance: 1) == .seconds(8))
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(86_400), chance: 0) == .seconds(300))
        #expect(backoff.delay(afterFailures: 1, retryAfter: .seconds(-5), chance: 0) == .zero)
    }
}
