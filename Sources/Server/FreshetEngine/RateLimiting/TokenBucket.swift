// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The token bucket of one ``RateLimit``, represented by the time at which it is full.
package struct TokenBucket: Equatable, Sendable {
    /// The time at which the bucket is full.
    package var fullAt: Timestamp

    package init(fullAt: Timestamp) { self.fullAt = fullAt }

    /// A full bucket.
    package static let full = TokenBucket(fullAt: Timestamp(milliseconds: 0))

    /// Returns the time until the bucket has a token, or `nil` if it has one.
    package func wait(_ limit: RateLimit, now: Timestamp) -> Duration? {
        let missing = clamped(to: limit, now: now) - now
        let room = limit.interval * (limit.capacity - 1)
        return missing <= room ? nil : missing - room
    }

    /// Takes one token.
    ///
    /// - Returns: The time to wait if there is none; nothing is taken then.
    package mutating func take(_ limit: RateLimit, now: Timestamp) -> Duration? {
        if let wait = wait(limit, now: now) { return wait }
        fullAt = clamped(to: limit, now: now) + limit.interval
        return nil
    }

    /// Puts one token back.
    package mutating func giveBack(_ limit: RateLimit) { fullAt = fullAt + (.zero - limit.interval) }

    /// Returns the number of whole tokens that are missing at `now`, from 0 to the capacity.
    package func used(of limit: RateLimit, now: Timestamp) -> Int {
        let (missing, interval) = ((clamped(to: limit, now: now) - now).milliseconds, limit.interval.milliseconds)
        return interval > 0 ? min(limit.capacity, Int((missing + interval - 1) / interval)) : 0
    }

    /// Returns the time at which the bucket is full, but no later than for a bucket that is empty at `now`.
    ///
    /// A wall clock that was ahead for a moment may have stored times in the far future.
    private func clamped(to limit: RateLimit, now: Timestamp) -> Timestamp {
        min(max(fullAt, now), now + limit.refillTime)
    }
}
