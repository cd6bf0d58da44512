// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `A full table of token buckets` {
    private let now = Timestamp(milliseconds: 1_000_000)
    private let daily = RateLimit(capacity: 7, interval: .seconds(86_400))
    private let single = RateLimit(capacity: 1, interval: .seconds(86_400))

    private func key(_ number: Int) -> Bits128 { Bits128(UInt64(number), 0) }

    /// The numbers of the keys whose buckets are in the table and not full.
    private func kept(_ table: TokenBucketTable, at now: Timestamp) -> [Int] {
        var copy = table
        // No other test has this limit, so it has no shared bucket.
        let probe = RateLimit(capacity: 1, interval: .seconds(9))
        return (1...200).filter { copy.wait([(key($0), probe)], now: now) != nil }
    }

    // MARK: - Order

    @Test(arguments: [(14, [2, 1]), (7, [6, 5]), (7, [3, 2]), (100, [15, 14])])
    func `a bucket with a smaller used share, in sevenths, is replaced before one that was charged earlier`(
        capacity: Int,
        charges: [Int]
    ) {
        var table = TokenBucketTable(capacity: 2)
        let limit = RateLimit(capacity: capacity, interval: .seconds(86_400))
        for (index, times) in charges.enumerated() {
            for _ in 1...times { #expect(table.take([(key(index + 1), limit)], now: now) == nil) }
        }
        #expect(table.take([(key(3), limit)], now: now) == nil)
        #expect(kept(table, at: now) == [1, 3])
    }

    @Test func `a bucket with a token is replaced although its interval is no whole number of milliseconds`() {
        var table = TokenBucketTable(capacity: 1)
        let limit = RateLimit(capacity: 4, interval: .microseconds(1500))
        for _ in 1...4 { #expect(table.take([(key(1), limit)], now: now) == nil) }
        #expect(table.take([(key(2), single)], now: now) == nil)
        #expect(kept(table, at: now) == [2])
    }

    @Test func `buckets with the same used share are replaced in the order of their charges, over several turns`() {
        var table = TokenBucketTable(capacity: 3)
        for number in 1...12 {
            #expect(table.take([(key(number), daily)], now: now) == nil)
            #expect(kept(table, at: now) == Array(max(1, number - 2)...number))
        }
    }

    @Test func `a bucket that is removed leaves the order of those charged before and after it`() {
        var table = TokenBucketTable(capacity: 3)
        for number in 1...3 { #expect(table.take([(key(number), daily)], now: now) == nil) }
        table.giveBack(key(2), daily, now: now)
        #expect(table.count == 2)
        for _ in 1...3 { #expect(table.take([(key(4), daily)], now: now) == nil) }
        #expect(kept(table, at: now) == [1, 3, 4])
        #expect(table.take([(key(5), daily)], now: now) == nil)
        #expect(kept(table, at: now) == [3, 4, 5])
        #expect(table.take([(key(6), daily)], now: now) == nil)
        #expect(kept(table, at: now) == [4, 5, 6])
    }

    @Test func `a bucket that is charged again is replaced after the others, and one with a larger share not at all`() {
        let large = RateLimit(capacity: 100, interval: .seconds(86_400))
        var table = TokenBucketTable(capacity: 3)
        for number in [1, 2, 3, 1] { #expect(table.take([(key(number), large)], now: now) == nil) }
        var charged = table
        for (number, expected) in [(4, [1, 3, 4]), (5, [1, 4, 5]), (6, [4, 5, 6])] {
            #expect(table.take([(key(number), large)], now: now) == nil)
            #expect(kept(table, at: now) == expected)
        }
        for _ in 1...50 { #expect(charged.take([(key(1), large)], now: now) == nil) }
        for (number, expected) in [(4, [1, 3, 4]), (5, [1, 4, 5]), (6, [1, 5, 6])] {
            #expect(charged.take([(key(number), large)], now: now) == nil)
            #expect(kept(charged, at: now) == expected)
        }
    }

    @Test func `a known bucket state from another server does not count as a charge`() {
        var table = TokenBucketTable(capacity: 2)
        for number in [1, 2] { #expect(table.take([(key(number), daily)], now: now) == nil) }
        table.merge(TokenBucket(fullAt: now + daily.interval), into: key(1), daily, now: now)
        #expect(table.take([(key(3), daily)], now: now) == nil)
        #expect(kept(table, at: now) == [2, 3])
    }

    // MARK: - Empty buckets

    /// A table whose eight buckets are empty, and the one of `quick` has a token after 100 seconds.
    private func emptied(quick: Int) -> TokenBucketTable {
        var table = TokenBucketTable(capacity: 8)
        for number in 1...8 {
            let limit = RateLimit(capacity: 2, interval: .seconds(number == quick ? 100 : 86_400))
            for _ in 1...2 { #expect(table.take([(key(number), limit)], now: now) == nil) }
        }
        return table
    }

    @Test(arguments: 1...8)
    func `each insertion checks four empty buckets for a token, and the next one checks the next four`(quick: Int) {
        let all = Array(1...8)
        let others = all.filter { $0 != quick }
        var table = emptied(quick: quick)
        let later = now + .seconds(100)
        #expect(table.take([(key(101), daily)], now: later) == nil)
        #expect(kept(table, at: later) == (quick <= 4 ? others + [101] : all))
        guard quick > 4 else { return }
        #expect(table.take([(key(102), daily)], now: later) == nil)
        #expect(kept(table, at: later) == others + [102])
    }

    @Test(arguments: 1...8)
    func `after all empty buckets were checked the first are checked again`(quick: Int) {
        let all = Array(1...8)
        var table = emptied(quick: quick)
        for number in [101, 102] { #expect(table.take([(key(number), daily)], now: now) == nil) }
        #expect(kept(table, at: now) == all)
        let later = now + .seconds(100)
        #expect(table.take([(key(103), daily)], now: later) == nil)
        #expect(kept(table, at: later) == (quick <= 4 ? all.filter { $0 != quick } + [103] : all))
    }

    @Test(arguments: [0, 1])
    func `a new key has a bucket of its own once a slot is free, although the shared bucket is empty`(capacity: Int) {
        var table = TokenBucketTable(capacity: capacity)
        #expect(table.take([(key(1), single)], now: now) == nil)
        #expect(table.take([(key(2), single)], now: now) == nil, "the shared bucket")
        #expect(table.take([(key(3), single)], now: now) == single.interval)
        table.giveBack(key(1), single, now: now)
        #expect(table.count == 0)
        #expect(table.take([(key(3), single)], now: now) == nil)
        #expect(table.take([(key(3), single)], now: now) == single.interval)
        #expect(table.count == 1)
    }

    @Test func `a restored bucket whose limit is unknown makes room from the time at which it is full`() {
        var table = TokenBucketTable(capacity: 1)
        let before = now + .milliseconds(-1)
        table.merge(TokenBucket(fullAt: now), into: key(1), nil, now: before)
        #expect(table.take([(key(2), single)], now: before) == nil, "the shared bucket")
        #expect(table.take([(key(3), single)], now: before) == single.interval)
        #expect(table.take([(key(3), single)], now: now) == nil)
        #expect(kept(table, at: now) == [3])
    }

    @Test func `a shared bucket that a wrong clock charged has a token again after an interval`() {
        var table = TokenBucketTable(capacity: 1)
        let wrong = now + .seconds(40 * 86_400)
        let forever = RateLimit(capacity: 1, interval: .seconds(4000 * 86_400))
        let minutely = RateLimit(capacity: 1, interval: .seconds(60))
        #expect(table.take([(key(1), forever)], now: wrong) == nil)
        #expect(table.take([(key(2), minutely)], now: wrong) == nil)
        #expect(table.take([(key(3), minutely)], now: now) == .seconds(60))
        #expect(table.take([(key(3), minutely)], now: now + .seconds(59)) == .seconds(1))
        #expect(table.take([(key(3), minutely)], now: now + .seconds(60)) == nil)
    }

    // MARK: - Bounded work and memory

    @Test func `each insertion checks the next two slots, and frees those whose buckets are full again`() {
        var table = TokenBucketTable(capacity: 8)
        let quick = RateLimit(capacity: 7, interval: .seconds(100))
        for number in 1...6 { #expect(table.take([(key(number), quick)], now: now) == nil) }
        #expect(table.count == 6)
        let later = now + .seconds(100)
        for (number, count) in [(7, 5), (8, 4), (9, 3), (10, 4)] {
            #expect(table.take([(key(number), daily)], now: later) == nil)
            #expect(table.count == count)
        }
    }

    /// Keys in one chain of a table with four, of which every second one would be in another of eight.
    private var keysOfOneChain: [Bits128] {
        var keys: [Bits128] = []
        var number = 0
        while keys.count < 5 {
            number += 1
            if key(number).hashValue & 7 == (keys.count.isMultiple(of: 2) ? 0 : 4) { keys.append(key(number)) }
        }
        return keys
    }

    /// The numbers of slots visited by charging each key once, in a table with four slots.
    private func visits(_ limit: RateLimit) -> [Int] {
        var table = TokenBucketTable(capacity: 4)
        var visits = [table.slotsVisited]
        for key in keysOfOneChain {
            #expect(table.take([(key, limit)], now: now) == nil)
            visits.append(table.slotsVisited)
        }
        #expect(visits[0] == 0)
        return zip(visits, visits.dropFirst()).map { $1 - $0 }
    }

    @Test func `a charge visits the slots of its key's chain, two that may have expired, and one that is replaced`() {
        // Three searches in the chain, and the check for expiry. The last one looks three times for a slot to replace,
        // and two slots are before that one in its chain.
        #expect(visits(daily) == [0, 3 + 1, 6 + 2, 9 + 2, 12 + 2 + 3 + 2])
    }

    @Test func `a charge visits four empty buckets at most`() {
        #expect(visits(single) == [0, 3 + 1, 6 + 2, 9 + 2, 12 + 2 + 3 * 4])
    }

    @Test func `a token bucket table with one slot has one chain`() throws {
        var table = TokenBucketTable(capacity: 1)
        let even = try #require((1...100).map(key).first { $0.hashValue.isMultiple(of: 2) })
        let odd = try #require((1...100).map(key).first { !$0.hashValue.isMultiple(of: 2) })
        #expect(table.take([(even, daily)], now: now) == nil)
        let before = table.slotsVisited
        #expect(table.wait([(odd, daily)], now: now) == nil)
        #expect(table.slotsVisited - before == 2, "the slot in the chain, which is the one to replace")
    }

    @Test func `a token bucket table has 262,144 slots by default`() {
        var table = TokenBucketTable()
        let bucket = TokenBucket(fullAt: now + daily.interval)
        for number in 1...262_145 { table.merge(bucket, into: key(number), daily, now: now) }
        #expect(table.count == 262_144)
    }

    // MARK: - Plans

    @Test func `a plan is refused by its first empty bucket, and of alternatives with equal waits by the first`() {
        func charge(_ id: String) -> RateLimitPlan.DigestedCharge {
            let key = RateLimitKey.codeAttempt(id)
            return .init(charge: RateLimitCharge(key, single), key: key.digest)
        }
        let (full, one, two) = (charge("full"), charge("one"), charge("two"))
        let plans = [
            ([[full, one]], one), ([[one, full]], one), ([[full, two, one]], two),
            ([[full, one], [two]], one), ([[two], [one, full]], two),
        ]
        for (alternatives, expected) in plans {
            var table = TokenBucketTable()
            for charge in [one, two] { #expect(table.take([(charge.key, single)], now: now) == nil) }
            guard case .refused(let wait, let key) = table.charge(alternatives, now: now) else {
                Issue.record("no alternative has a token in each of its buckets")
                continue
            }
            #expect(wait == single.interval)
            #expect(key == expected.charge.key)
        }
    }
}
