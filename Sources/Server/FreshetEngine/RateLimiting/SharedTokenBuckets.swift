// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A fixed number of token buckets of one limit; keys with the same hash share a bucket.
///
/// Swift's hashes differ from process to process, so a client cannot choose a key that shares a victim's bucket.
package struct SharedTokenBuckets: Sendable {
    package let limit: RateLimit
    /// The times at which the buckets are full, in milliseconds since 1970.
    private var fullAt: SparseTable

    package init(_ limit: RateLimit, count: Int = 65_536) {
        self.limit = limit
        fullAt = SparseTable(count: count)
    }

    /// Takes one token.
    ///
    /// - Returns: The time to wait if there is none.
    package mutating func take(_ key: some Hashable, now: Timestamp) -> Duration? {
        let index = fullAt.place(of: key.hashValue)
        var bucket = TokenBucket(fullAt: Timestamp(milliseconds: Int64(fullAt[index])))
        // After the clock was set back, a bucket that lacks one token must not count as empty.
        if bucket.fullAt - now > limit.refillTime { bucket = .full }
        let wait = bucket.take(limit, now: now)
        fullAt[index] = Int(bucket.fullAt.milliseconds)
        return wait
    }
}
