// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Token buckets that keys share` {
    private let now = Timestamp(milliseconds: 1_000_000)

    @Test func `shared token buckets limit keys separately, and a key without tokens waits for an interval`() {
        var buckets = SharedTokenBuckets(RateLimit(capacity: 3, interval: .seconds(1)))
        for _ in 1...3 { #expect(buckets.take("a", now: now) == nil) }
        #expect(buckets.take("a", now: now) == .seconds(1))
        #expect(buckets.take("b", now: now) == nil)
        #expect(buckets.take("a", now: now + .seconds(1)) == nil)
    }

    @Test func `a key of shared token buckets waits at most one interval, regardless of its attempts`() {
        var buckets = SharedTokenBuckets(RateLimit(capacity: 3, interval: .seconds(1)))
        for _ in 1...1000 { #expect(buckets.take("a", now: now) ?? .zero <= .seconds(1)) }
    }

    @Test func `a shared token bucket allows a request after the clock was set back`() {
        var buckets = SharedTokenBuckets(RateLimit(capacity: 3, interval: .seconds(1)))
        for _ in 1...3 { _ = buckets.take("a", now: now) }
        #expect(buckets.take("a", now: now + .seconds(-900)) == nil)
    }

    private func place(_ key: Int, of count: UInt) -> UInt { UInt(bitPattern: key.hashValue) % count }

    @Test func `keys share 65,536 token buckets by default`() throws {
        // Two keys that share a bucket of 65,536, but not of one more.
        var keys: [UInt: Int] = [:]
        var pair: (Int, Int)?
        for key in 1...100_000 {
            let shared = place(key, of: 65_536)
            if let other = keys[shared], place(key, of: 65_537) != place(other, of: 65_537) {
                pair = (other, key)
                break
            }
            keys[shared] = key
        }
        let (one, other) = try #require(pair)
        var buckets = SharedTokenBuckets(RateLimit(capacity: 1, interval: .seconds(1)))
        #expect(buckets.take(one, now: now) == nil)
        #expect(buckets.take(other, now: now) == .seconds(1))
    }

    @Test func `all keys share one token bucket if the count is one`() {
        var buckets = SharedTokenBuckets(RateLimit(capacity: 1, interval: .seconds(1)), count: 1)
        #expect(buckets.take("a", now: now) == nil)
        #expect(buckets.take("b", now: now) != nil)
    }
}

@Suite struct `A table of token buckets` {
    private let now = Timestamp(milliseconds: 1_000_000)
    private let limit = RateLimit(capacity: 4, interval: .seconds(100))

    private func key(_ number: Int) -> Bits128 { Bits128(UInt64(number), 0) }

    @Test func `a request takes a token from each of its buckets or from none of them`() {
        var table = TokenBucketTable()
        let (one, many) = (
            RateLimit(capacity: 1, interval: .seconds(10)), RateLimit(capacity: 9, interval: .seconds(1))
        )
        let both = [(key: key(1), limit: many), (key: key(2), limit: one)]
        #expect(table.take(both, now: now) == nil)
        for _ in 1...20 { #expect(table.take(both, now: now) == .seconds(10)) }
        for _ in 1...8 { #expect(table.take([(key(1), many)], now: now) == nil) }
        #expect(table.take([(key(1), many)], now: now) == .seconds(1))
    }

    @Test func `a slot that was freed is used again before another bucket is replaced`() {
        var table = TokenBucketTable(capacity: 3)
        for number in 1...3 { #expect(table.take([(key(number), limit)], now: now) == nil) }
        for number in [2, 3] {
            table.giveBack(key(number), limit, now: now)
            #expect(table.count == 2)
            for _ in 1...4 { #expect(table.take([(key(number + 10), limit)], now: now) == nil) }
            #expect(table.count == 3)
            #expect(table.take([(key(number + 10), limit)], now: now) == .seconds(100))
        }
        for _ in 1...3 { #expect(table.take([(key(1), limit)], now: now) == nil) }
        #expect(table.take([(key(1), limit)], now: now) == .seconds(100))
    }

    @Test func `buckets whose used shares are in one seventh are replaced in the order in which they were charged`() {
        var table = TokenBucketTable(capacity: 2)
        let large = RateLimit(capacity: 16, interval: .seconds(100))
        for number in [1, 1, 2] { #expect(table.take([(key(number), large)], now: now) == nil) }
        for _ in 1...4 { #expect(table.take([(key(3), limit)], now: now) == nil) }
        for _ in 1...15 { #expect(table.take([(key(2), large)], now: now) == nil) }
        #expect(table.take([(key(2), large)], now: now) == .seconds(100))
    }

    @Test func `an insertion frees a bucket that is full again although only a token of many was taken`() {
        var table = TokenBucketTable(capacity: 8)
        let large = RateLimit(capacity: 16, interval: .seconds(100))
        #expect(table.take([(key(1), large)], now: now) == nil)
        #expect(table.take([(key(2), large)], now: now + .seconds(100)) == nil)
        #expect(table.count == 1)
    }

    @Test func `a bucket that other servers left fuller is not taken over`() {
        var table = TokenBucketTable()
        for _ in 1...4 { #expect(table.take([(key(1), limit)], now: now) == nil) }
        table.merge(TokenBucket(fullAt: now + .seconds(100)), into: key(1), limit, now: now)
        #expect(table.take([(key(1), limit)], now: now) == .seconds(100))
        table.merge(TokenBucket(fullAt: now + .seconds(100)), into: key(2), limit, now: now)
        for _ in 1...3 { #expect(table.take([(key(2), limit)], now: now) == nil) }
        #expect(table.take([(key(2), limit)], now: now) == .seconds(100))
    }

    @Test func `a refused plan has the shortest wait of its alternatives, regardless of their order`() {
        let (slow, quick) = (
            RateLimit(capacity: 1, interval: .seconds(50)), RateLimit(capacity: 1, interval: .seconds(20))
        )
        func charge(_ id: String, _ limit: RateLimit) -> RateLimitPlan.DigestedCharge {
            let key = RateLimitKey.codeAttempt(id)
            return .init(charge: RateLimitCharge(key, limit), key: key.digest)
        }
        let (first, second) = (charge("slow", slow), charge("quick", quick))
        for alternatives in [[[first], [second]], [[second], [first]]] {
            var table = TokenBucketTable()
            for charge in [first, second] { #expect(table.take([(charge.key, charge.charge.limit)], now: now) == nil) }
            guard case .refused(let wait, let key) = table.charge(alternatives, now: now) else {
                Issue.record("no alternative has a token")
                return
            }
            #expect(wait == .seconds(20))
            #expect(key == second.charge.key)
        }
    }

    @Test func `a token is returned to its bucket, and a bucket that becomes full is removed`() {
        var table = TokenBucketTable()
        for _ in 1...4 { #expect(table.take([(key(1), limit)], now: now) == nil) }
        table.giveBack(key(1), limit, now: now)
        #expect(table.take([(key(1), limit)], now: now) == nil)
        #expect(table.take([(key(1), limit)], now: now) != nil)
        for _ in 1...4 { table.giveBack(key(1), limit, now: now) }
        #expect(table.count == 0)
        table.giveBack(key(1), limit, now: now)
        #expect(table.count == 0)
    }

    @Test func `a bucket table agrees with separate token buckets over random histories`() {
        var table = TokenBucketTable()
        var buckets: [Int: TokenBucket] = [:]
        var random = SystemRandomNumberGenerator()
        var now = now
        for _ in 1...50_000 {
            now = now + .milliseconds(Int.random(in: 0...2000, using: &random))
            let number = Int.random(in: 1...200, using: &random)
            var bucket = buckets[number] ?? .full
            if Int.random(in: 1...4, using: &random) == 1, bucket.fullAt > now {
                bucket.giveBack(limit)
                table.giveBack(key(number), limit, now: now)
            } else {
                let expected = bucket.take(limit, now: now)
                #expect(table.take([(key(number), limit)], now: now) == expected)
            }
            buckets[number] = bucket
        }
        #expect(table.count <= 200)
    }

    @Test func `a bucket table of a million keys has a limited number of steps per request, and removes full buckets`()
    {
        var table = TokenBucketTable(capacity: 1_000_000)
        func steps(_ keys: Range<Int>, at now: Timestamp) -> Double {
            let before = table.slotsVisited
            for number in keys { _ = table.take([(key(number), limit)], now: now) }
            return Double(table.slotsVisited - before) / Double(keys.count)
        }
        let first = steps(0..<10_000, at: now)
        let rest = steps(10_000..<1_000_000, at: now)
        #expect(table.count == 1_000_000)
        let full = steps(1_000_000..<1_100_000, at: now)
        #expect(table.count == 1_000_000, "the table is bounded")
        #expect(max(first, rest, full) < 16, "\(first), \(rest), \(full) steps an operation")
        // Every bucket is full by then.
        let later = now + .seconds(100)
        let sweeping = steps(2_000_000..<2_600_000, at: later)
        #expect(sweeping < 16, "\(sweeping) steps an operation")
        #expect(table.count <= 610_000, "\(table.count) keys")
    }

    @Test func `an empty bucket stays in a full table, regardless of the number of new keys`() {
        var table = TokenBucketTable(capacity: 1000)
        for number in 1...10 {
            for _ in 1...4 { #expect(table.take([(key(number), limit)], now: now) == nil) }
        }
        // A fresh key with an interval that keeps it in the table for longer than an empty bucket.
        let slow = RateLimit(capacity: 10, interval: .seconds(86_400))
        for number in 100...100_000 { #expect(table.take([(key(number), slow)], now: now) == nil) }
        #expect(table.count == 1000)
        for number in 1...10 { #expect(table.take([(key(number), limit)], now: now) == .seconds(100)) }
    }

    @Test func `a full table replaces the bucket with the smallest used share, the oldest charge among equals`() {
        var table = TokenBucketTable(capacity: 3)
        for _ in 1...3 { _ = table.take([(key(1), limit)], now: now) }
        _ = table.take([(key(2), limit)], now: now)
        _ = table.take([(key(3), limit)], now: now)
        _ = table.take([(key(4), limit)], now: now)
        let single = RateLimit(capacity: 1, interval: .seconds(100))
        #expect((1...4).map { table.wait([(key($0), single)], now: now) != nil } == [true, false, true, true])
        // A look evicts nothing.
        for number in 5...100 { #expect(table.wait([(key(number), single)], now: now) == nil) }
        #expect(table.wait([(key(3), single)], now: now) != nil)
    }

    @Test func `new keys share one bucket while every bucket of a full table is empty`() {
        var table = TokenBucketTable(capacity: 100)
        for number in 1...100 {
            for _ in 1...4 { _ = table.take([(key(number), limit)], now: now) }
        }
        let granted = (1000..<2000).count { table.take([(key($0), limit)], now: now) == nil }
        #expect(granted == 4)
        #expect((1...100).allSatisfy { table.take([(key($0), limit)], now: now) != nil })
        // Once they have a token again, they make room.
        let later = now + .seconds(100)
        #expect((1000..<1050).count { table.take([(key($0), limit)], now: later) == nil } == 50)
    }

    @Test func `charges from other servers are merged into a bucket and never make it fuller`() {
        var table = TokenBucketTable()
        for _ in 1...2 { _ = table.take([(key(1), limit)], now: now) }
        table.merge(TokenBucket(fullAt: now + .seconds(100)), into: key(1), limit, now: now)
        #expect(table.take([(key(1), limit)], now: now) == nil)
        table.merge(TokenBucket(fullAt: now + .seconds(400)), into: key(1), limit, now: now)
        #expect(table.take([(key(1), limit)], now: now) != nil)
        table.merge(TokenBucket(fullAt: now + .seconds(400)), into: key(2), nil, now: now)
        #expect(table.take([(key(2), limit)], now: now) != nil)
        table.merge(TokenBucket(fullAt: now), into: key(3), limit, now: now)
        #expect(table.count == 2)
    }
}

@Suite struct `A rate limit's key` {
    private let ann = "ann@example.com"

    @Test func `rate limit keys differ by case, operation and part, regardless of the client's text`() throws {
        let email = try #require(EmailAddress(ann))
        let network = try #require(SourceAddress("198.51.100.7")).network
        let six = try #require(SourceAddress("2001:db8::1")).network
        let operations: [RateLimitKey.Operation] = [.passwordAttempt, .codeAttempt, .codeRequest, .signUp]
        var keys: [RateLimitKey] = operations.flatMap { operation -> [RateLimitKey] in
            [
                .account(operation, email), .accountFromNetwork(operation, email, network),
                .accountFromNetwork(operation, email, six), .accountFromNetwork(operation, email, nil),
                .accountFromKnownNetwork(operation, email, network), .accountFromKnownNetworks(operation, email),
                .devicesOfAccount(operation, email), .network(operation, network), .network(operation, six),
                .device(operation, .browser(ann)),
            ]
        }
        // Texts that a client may send as an attempt or a client's id.
        let texts = [
            ann, "\(ann) from 198.51.100.7", "code \(ann)", "", "\0",
            String(decoding: email.text.utf8, as: UTF8.self) + "\0",
            String(decoding: network.bytes, as: UTF8.self),
        ]
        keys += texts.map { .codeAttempt($0) } + texts.map { .client($0) }
        keys += texts.map { .clientFromNetwork($0, network) } + texts.map { .clientFromKnownNetwork($0, network) }
        keys += texts.map { .clientFromNetwork($0, nil) } + texts.map { .operatorBrowser($0) }
        keys += [.operators, .operatorsFromNetwork(nil), .operatorsFromNetwork(network)]
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.map(\.encoded)).count == keys.count)
        #expect(Set(keys.map(\.digest)).count == keys.count)
    }

    @Test func `an encoded rate limit key starts with the numbers of its case and operation`() throws {
        let email = try #require(EmailAddress(ann))
        let network = try #require(SourceAddress("198.51.100.7")).network
        let keys: [RateLimitKey] = [
            .account(.signUp, email), .accountFromNetwork(.signUp, email, nil),
            .accountFromKnownNetwork(.signUp, email, network), .accountFromKnownNetworks(.signUp, email),
            .device(.signUp, .session(.random())), .device(.signUp, .browser("")), .devicesOfAccount(.signUp, email),
            .codeAttempt(""), .network(.signUp, network), .operatorBrowser(""), .operatorsFromNetwork(nil), .operators,
            .client(""), .clientFromNetwork("", nil), .clientFromKnownNetwork("", network),
        ]
        #expect(keys.map { $0.encoded[0] } == Array(1...15))
        #expect(keys[0].encoded[1] == RateLimitKey.Operation.signUp.rawValue)
        #expect(RateLimitKey.operators.encoded == [12, RateLimitKey.Operation.operatorSignIn.rawValue])
    }

    @Test func `each part of an encoded rate limit key is prefixed with its length`() throws {
        let network = try #require(SourceAddress("1.2.3.4")).network
        let key = RateLimitKey.clientFromNetwork("a", network)
        #expect(key.encoded == [14, 8, 0, 0, 0, 1, 0x61, 0, 0, 0, 4, 1, 2, 3, 4])
        #expect(RateLimitKey.clientFromNetwork("a\u{0}\u{0}\u{0}\u{4}\u{1}", nil).encoded != key.encoded)
    }
}
