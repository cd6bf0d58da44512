// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How often something may be tried: a bucket that holds `capacity` tries and gains one every `interval`.
package struct AttemptBudget: Equatable, Sendable {
    package var capacity: Int
    package var interval: Duration

    package init(capacity: Int, interval: Duration) {
        self.capacity = capacity
        self.interval = interval
    }

    /// What is left of one budget.
    package struct Account: Equatable, Sendable {
        /// When the bucket is full again.
        package var fullAt: Timestamp

        package init(fullAt: Timestamp) {
            self.fullAt = fullAt
        }
    }

    /// Takes one try from `account`; a missing account is a full one.
    ///
    /// - Returns: how long to wait, if no try is left; `account` is then as before, or empty if it was less than that.
    package func take(from account: inout Account?, now: Timestamp) -> Duration? {
        // A time that a wrong clock has written must not take more than the whole bucket: it would be for days.
        let longest = now + interval * capacity
        if let known = account, known.fullAt > longest { account = Account(fullAt: longest) }
        let fullAt = max(account?.fullAt ?? now, now)
        let missing = fullAt - now
        let room = interval * (capacity - 1)
        guard missing <= room else { return missing - room }
        account = Account(fullAt: fullAt + interval)
        return nil
    }
}
