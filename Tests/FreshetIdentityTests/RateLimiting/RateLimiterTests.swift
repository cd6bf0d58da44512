// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics

/// A rate limiter whose writes to the database run when a test says so.
struct RateLimiterUnderTest {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)

    let metrics = ServerMetrics()
    let log = CapturedLog()
    let database: DatabaseWithHeldWrites
    let limiter: RateLimiter
    private let clock: ServerClock
    /// The difference between the wall clock and the monotonic clock.
    private let jump = NIOLockedValueBox(Duration.zero)

    init(_ base: any ServerDatabase, capacity: Int = 100, maximumUnwritten: Int = 100) throws {
        database = DatabaseWithHeldWrites(base)
        let source = ClockSource(
            wall: { [jump] in Self.now + jump.withLockedValue { $0 } },
            monotonic: { .seconds(1000) }
        )
        clock = ServerClock(source, metrics: metrics, log: log.logger)
        limiter = try RateLimiter(
            database,
            metrics: metrics,
            log: log.logger,
            clock: clock,
            capacity: capacity,
            maximumUnwritten: maximumUnwritten
        )
    }

    /// Sets the wall clock, which the server's clock does not trust while it is far ahead.
    func moveWallClock(ahead difference: Duration) {
        jump.withLockedValue { $0 = difference }
        clock.reading()
    }

    /// The stored buckets, with the time until each is full.
    func stored() throws -> [Bits128: Duration] {
        let rows = try database.readNow { try RateLimitTable.all(at: Timestamp(milliseconds: 0), limit: 100, in: $0) }
        return Dictionary(uniqueKeysWithValues: rows.map { row in (row.0, row.1.fullAt - Self.now) })
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Rate limits` {
    private let now = RateLimiterUnderTest.now
    private let limit = RateLimit(capacity: 2, interval: .seconds(10))
    private let key = RateLimitKey.codeAttempt("k")
    private var plan: RateLimitPlan { RateLimitPlan([RateLimitCharge(key, limit)]) }

    private func withLimiter(_ body: (RateLimiterUnderTest) async throws -> Void) async throws {
        try await DatabaseEngine.sqlite.make().opened { try await body(RateLimiterUnderTest($0)) }
    }

    private func refusal(after seconds: Int) -> APIError {
        APIError(.tooManyRequests, "too many attempts; wait", retryAfter: .seconds(seconds))
    }

    @Test func `an attempt beyond the limit is refused until the next token, and counted by the limit's name`()
        async throws
    {
        try await withLimiter { test in
            for _ in 1...2 { try test.limiter.take(plan, now: now) }
            #expect(throws: refusal(after: 10)) { try test.limiter.take(plan, now: now) }
            #expect(test.metrics.text.contains(#"freshet_rate_limited_total{limit="codeAttempt by attempt"} 1"#))
            try test.limiter.take(plan, now: now + .seconds(10))
            #expect(throws: refusal(after: 10)) { try test.limiter.take(plan, now: now + .seconds(10)) }
        }
    }

    @Test func `a successful attempt returns the tokens of the buckets that count failures, and no other`() async throws
    {
        try await withLimiter { test in
            let failures = RateLimitKey.codeAttempt("failures")
            let plan = RateLimitPlan([
                RateLimitCharge(key, limit), RateLimitCharge(failures, limit, counting: .failures),
            ])
            for _ in 1...2 {
                #expect(try await test.limiter.attempt(plan, now: now) { "value" } == "value")
            }
            #expect(throws: refusal(after: 10)) { try test.limiter.take(self.plan, now: now) }
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key.digest: .seconds(20)])
            let rest = RateLimitPlan([RateLimitCharge(failures, limit)])
            for _ in 1...2 { try test.limiter.take(rest, now: now) }
            #expect(throws: refusal(after: 10)) { try test.limiter.take(rest, now: now) }
        }
    }

    @Test func `an attempt that returns nothing is a failure, and one that throws an error is not`() async throws {
        struct Unavailable: Error {}
        try await withLimiter { test in
            let failures = RateLimitPlan([RateLimitCharge(key, limit, counting: .failures)])
            for _ in 1...3 {
                await #expect(throws: Unavailable.self) {
                    try await test.limiter.attempt(failures, now: now) { () -> Int? in throw Unavailable() }
                }
            }
            #expect(test.database.heldWrites == 0)
            for _ in 1...2 { #expect(try await test.limiter.attempt(failures, now: now) { () -> Int? in nil } == nil) }
            await #expect(throws: refusal(after: 10)) { try await test.limiter.attempt(failures, now: now) { 1 } }
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key.digest: .seconds(20)])
        }
    }

    @Test func `a failure that was not refused in advance is counted and stored while the bucket has a token`()
        async throws
    {
        try await withLimiter { test in
            for _ in 1...3 { test.limiter.recordFailure(plan, now: now) }
            #expect(throws: refusal(after: 10)) { try test.limiter.take(plan, now: now) }
            try test.database.runHeldWrites()
            #expect(try test.stored() == [key.digest: .seconds(20)])
        }
    }

    // MARK: - Warnings

    @Test func `a network's last failure is logged, at most once in five minutes, and its earlier ones are not`()
        async throws
    {
        try await withLimiter { test in
            let network = try #require(SourceAddress("192.0.2.7")).network
            let limit = RateLimit(capacity: 2, interval: .seconds(100))
            func fail(at seconds: Int) {
                let charge = RateLimitCharge(.network(.passwordFailure, network), limit, counting: .failures)
                test.limiter.recordFailure(RateLimitPlan([charge]), now: now + .seconds(seconds))
            }
            fail(at: 0)
            #expect(test.log.lines.isEmpty)
            fail(at: 0)
            let line = [
                "message": "a network has no failed sign-ins left; its further attempts get 429", "level": "warning",
                "network": "192.0.2.7", "operation": "passwordFailure", "failures": "2", "interval": "100",
            ]
            #expect(test.log.lines == [line])
            for seconds in [100, 200] { fail(at: seconds) }
            #expect(test.log.lines == [line])
            fail(at: 300)
            #expect(test.log.lines == [line, line])
            #expect(test.metrics.text.contains(#"freshet_networks_limited_total{operation="passwordFailure"} 2"#))
        }
    }

    @Test func `a bucket that counts attempts or an account logs no warning about a network`() async throws {
        try await withLimiter { test in
            let network = try #require(SourceAddress("192.0.2.7")).network
            let attempts = RateLimitCharge(.network(.request, network), limit)
            let attempt = RateLimitCharge(key, limit, counting: .failures)
            for _ in 1...2 { test.limiter.recordFailure(RateLimitPlan([attempts, attempt]), now: now) }
            #expect(throws: refusal(after: 10)) { try test.limiter.take(RateLimitPlan([attempts]), now: now) }
            #expect(test.log.lines.isEmpty)
        }
    }
}
