// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A token bucket's parameters: it holds `capacity` tokens and gains one every `interval`.
package struct RateLimit: Hashable, Sendable {
    package var capacity: Int
    package var interval: Duration

    package init(capacity: Int, interval: Duration) {
        self.capacity = capacity
        self.interval = interval
    }

    /// The time in which an empty bucket fills up.
    package var refillTime: Duration { interval * capacity }
}
