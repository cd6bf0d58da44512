// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One try, counted under one key.
package struct AttemptClaim: Equatable, Sendable {
    /// Whose try it is: an account, a source, both, or a device.
    package var key: String
    package var budget: AttemptBudget

    package init(_ key: String, _ budget: AttemptBudget) {
        self.key = key
        self.budget = budget
    }
}

extension AttemptClaim {
    /// Takes a try from every budget, or from none.
    ///
    /// - Returns: how long to wait, if one of them has none left.
    package static func take(
        _ claims: [AttemptClaim],
        from accounts: inout [String: AttemptBudget.Account],
        now: Timestamp
    ) -> Duration? {
        var taken: [String: AttemptBudget.Account] = [:]
        var longest: Duration?
        for claim in claims {
            var account = taken[claim.key] ?? accounts[claim.key]
            if let wait = claim.budget.take(from: &account, now: now) { longest = max(longest ?? wait, wait) }
            taken[claim.key] = account
        }
        // A refusal takes nothing; it only corrects what a wrong clock wrote.
        for (key, account) in taken where longest == nil || accounts[key].map({ $0.fullAt > account.fullAt }) ?? false {
            accounts[key] = account
        }
        return longest
    }
}
