// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// Counts tries by key (an address, an account) against one budget.
///
/// It forgets keys whose budget is full again, so strangers cannot fill the memory for longer than the budget's time.
final class AttemptLimiter: Sendable {
    private let budget: AttemptBudget
    private let accounts = NIOLockedValueBox<[String: AttemptBudget.Account]>([:])
    private static let sweepAbove = 10_000

    init(_ budget: AttemptBudget) {
        self.budget = budget
    }

    /// Takes one try.
    ///
    /// - Throws: `tooManyRequests`, with the time to wait, if none is left.
    func take(_ key: String, now: Timestamp) throws(APIError) {
        let wait = accounts.withLockedValue { accounts in
            if accounts.count > Self.sweepAbove { accounts = accounts.filter { $0.value.fullAt > now } }
            return budget.take(from: &accounts[key], now: now)
        }
        if let wait { throw APIError(.tooManyRequests, "too many tries; wait", retryAfter: wait) }
    }
}
