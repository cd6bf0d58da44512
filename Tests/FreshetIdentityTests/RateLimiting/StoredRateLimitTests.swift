// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(1)))
struct `Stored rate limits` {
    private let now = RateLimiterUnderTest.now
    private let limit = RateLimit(capacity: 4, interval: .seconds(10))

    private func key(_ name: String) -> RateLimitKey { .codeAttempt(name) }

    private func plan(_ name: String) -> RateLimitPlan { RateLimitPlan([RateLimitCharge(key(name), limit)]) }

    private func withDatabase(_ body: (any ServerDatabase) async throws -> Void) async throws {
        try await DatabaseEngine.sqlite.make().opened { try await body($0) }
    }

    @Test func `attempts are written together, by one write at a time`() async throws {
        try await withDatabase { database in
            let test = try RateLimiterUnderTest(database)
            for name in ["a", "a", "b"] { try test.limiter.take(plan(name), now: now) }
            #expect(test.database.heldWrites == 1)
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key("a").digest: .seconds(20), key("b").digest: .seconds(10)])
            // Attempts that were written are not written again.
            try test.limiter.take(plan("b"), now: now)
            #expect(test.database.heldWrites == 1)
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key("a").digest: .seconds(20), key("b").digest: .seconds(20)])
        }
    }

    @Test func `attempts are stored with the next one after a write was dropped`() async throws {
        try await withDatabase { database in
            let test = try RateLimiterUnderTest(database)
            try test.limiter.take(plan("a"), now: now)
            test.database.dropHeldWrites()
            try test.limiter.take(plan("b"), now: now)
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key("a").digest: .seconds(10), key("b").digest: .seconds(10)])
        }
    }

    @Test func `attempts are stored with the next one after a write was rolled back`() async throws {
        try await withDatabase { database in
            let test = try RateLimiterUnderTest(database)
            for name in ["a", "a", "b"] { try test.limiter.take(plan(name), now: now) }
            test.database.failHeldWrites()
            try test.limiter.take(plan("b"), now: now)
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key("a").digest: .seconds(20), key("b").digest: .seconds(20)])
        }
    }

    @Test func `the counts of a limited number of buckets wait for the next write`() async throws {
        try await withDatabase { database in
            let test = try RateLimiterUnderTest(database, maximumUnwritten: 2)
            for name in ["a", "b", "c", "a"] { try test.limiter.take(plan(name), now: now) }
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key("a").digest: .seconds(20), key("b").digest: .seconds(10)])
        }
    }

    @Test
    func `attempts are not stored while the clock is untrusted, and are stored with the first attempt afterwards`()
        async throws
    {
        try await withDatabase { database in
            let test = try RateLimiterUnderTest(database)
            test.moveWallClock(ahead: .seconds(1000))
            for _ in 1...2 { try test.limiter.take(plan("a"), now: now) }
            #expect(test.database.heldWrites == 0)
            test.moveWallClock(ahead: .zero)
            try test.limiter.take(plan("b"), now: now)
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key("a").digest: .seconds(20), key("b").digest: .seconds(10)])
        }
    }

    @Test func `a write merges the attempts that another server counted`() async throws {
        try await withDatabase { database in
            let (first, second) = (try RateLimiterUnderTest(database), try RateLimiterUnderTest(database))
            for _ in 1...3 { try first.limiter.take(plan("a"), now: now) }
            try first.database.runHeldWrites()
            try second.limiter.take(plan("a"), now: now)
            try second.database.runHeldWrites()
            #expect(throws: APIError.self) { try second.limiter.take(plan("a"), now: now) }
        }
    }

    @Test func `a server loads the buckets that are not full when it starts, up to its capacity`() async throws {
        try await withDatabase { database in
            let first = try RateLimiterUnderTest(database)
            for _ in 1...4 { try first.limiter.take(plan("a"), now: now) }
            for _ in 1...3 { try first.limiter.take(plan("b"), now: now) }
            try first.database.runHeldWrites()
            let second = try RateLimiterUnderTest(database)
            #expect(throws: APIError.self) { try second.limiter.take(plan("a"), now: now) }
            try second.limiter.take(plan("b"), now: now)
            #expect(throws: APIError.self) { try second.limiter.take(plan("b"), now: now) }
            // The bucket that is full last is loaded first.
            let small = try RateLimiterUnderTest(database, capacity: 1)
            #expect(throws: APIError.self) { try small.limiter.take(plan("a"), now: now) }
        }
    }

    @Test func `full buckets are deleted by the first write and every 64th after it`() async throws {
        try await withDatabase { database in
            let test = try RateLimiterUnderTest(database)
            let (old, limit) = (key("old").digest, limit)
            func addOld() throws {
                guard try test.stored()[old] == nil else { return }
                _ = try database.writeNow { connection in
                    try RateLimitTable.add(.seconds(10), to: old, limit, at: now + .seconds(-10), in: connection)
                }
            }
            var deletions: [Int] = []
            for number in 1...65 {
                try addOld()
                try test.limiter.take(plan("\(number)"), now: now)
                try test.database.runHeldWrites()
                if try test.stored()[old] == nil { deletions.append(number) }
            }
            #expect(deletions == [1, 65])
        }
    }
}
