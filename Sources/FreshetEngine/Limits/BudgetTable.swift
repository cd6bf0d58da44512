// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Budgets for any number of keys in memory that never grows: keys that fall on one place share its budget.
///
/// Swift's hashes differ from process to process, so nobody can choose a key to share somebody's place.
package struct BudgetTable: Sendable {
    package let budget: AttemptBudget
    /// When each bucket is full again, in milliseconds since 1970.
    private var fullAt: [Int64]

    package init(_ budget: AttemptBudget, places: Int = 65_536) {
        self.budget = budget
        fullAt = Array(repeating: 0, count: max(1, places))
    }

    /// Takes one try.
    ///
    /// - Returns: how long to wait, if none is left.
    package mutating func take(_ key: some Hashable, now: Timestamp) -> Duration? {
        let place = Int(UInt(bitPattern: key.hashValue) % UInt(fullAt.count))
        var account: AttemptBudget.Account? = .init(fullAt: Timestamp(milliseconds: fullAt[place]))
        // A clock that was set back must not make a full bucket an empty one.
        if let known = account, known.fullAt - now > budget.interval * budget.capacity { account = nil }
        let wait = budget.take(from: &account, now: now)
        if let account { fullAt[place] = account.fullAt.milliseconds }
        return wait
    }
}
