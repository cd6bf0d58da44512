// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics

@Suite(.timeLimit(.minutes(3)), .enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
struct `A rate limiter beside another server's` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.postgres.make() }

    @Test func `a rate limiter counts the attempts that another server has allowed`() async throws {
        let (one, two) = (try place.open(), try place.open())
        let now = Timestamp.system()
        let limit = RateLimit(capacity: 4, interval: .seconds(600))
        let plan = RateLimitPlan([RateLimitCharge(.codeAttempt("k"), limit)])
        func limiter(_ database: any ServerDatabase) throws -> RateLimiter {
            let (metrics, log) = (ServerMetrics(), CapturedLog().logger)
            let clock = ServerClock(ClockSource { now }, metrics: metrics, log: log)
            return try RateLimiter(database, metrics: metrics, log: log, clock: clock)
        }
        let (first, second) = (try limiter(one), try limiter(two))
        func known(_ tries: Int) async throws {
            let end = now + .seconds(600 * tries)
            while try await one.read({ try RateLimitTable.all(at: now, limit: 9, in: $0) }).first?.1.fullAt != end {}
        }
        for tries in 1...3 {
            try first.take(plan, now: now)
            try await known(tries)
        }
        // A server that runs learns of the others' attempts with its own first one, a server that starts at once.
        let third = try limiter(two)
        try second.take(plan, now: now)
        try await known(4)
        #expect(throws: APIError.self) { try second.take(plan, now: now) }
        try third.take(plan, now: now)
        #expect(throws: APIError.self) { try third.take(plan, now: now) }
        try one.close()
        try two.close()
    }
}
