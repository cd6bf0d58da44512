// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `A table of budgets` {
    private let now = Timestamp(milliseconds: 1_000_000)

    @Test func `keeps keys apart, and makes one that is through wait for its interval`() {
        var table = BudgetTable(AttemptBudget(capacity: 3, interval: .seconds(1)))
        for _ in 1...3 { #expect(table.take("a", now: now) == nil) }
        #expect(table.take("a", now: now) == .seconds(1))
        #expect(table.take("b", now: now) == nil)
        #expect(table.take("a", now: now + .seconds(1)) == nil)
    }

    @Test func `never makes a key wait longer than an interval, however often it asks`() {
        var table = BudgetTable(AttemptBudget(capacity: 3, interval: .seconds(1)))
        for _ in 1...1000 { #expect(table.take("a", now: now) ?? .zero <= .seconds(1)) }
    }

    @Test func `is not emptied by a clock that was set back`() {
        var table = BudgetTable(AttemptBudget(capacity: 3, interval: .seconds(1)))
        for _ in 1...3 { _ = table.take("a", now: now) }
        #expect(table.take("a", now: now + .seconds(-900)) == nil)
    }

    @Test func `has one place for all keys if it has no more`() {
        var table = BudgetTable(AttemptBudget(capacity: 1, interval: .seconds(1)), places: 1)
        #expect(table.take("a", now: now) == nil)
        #expect(table.take("b", now: now) != nil)
    }
}
