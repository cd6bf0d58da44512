// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Refresh schedule` {
    let schedule = RefreshSchedule(refreshBefore: .seconds(60), minimumInterval: .seconds(30))

    private func token(lifetime: Double, cause: TimedAccessToken.Cause = .expiry) -> TimedAccessToken {
        TimedAccessToken(
            token: AccessToken(value: "a", expiresAt: Date(timeIntervalSince1970: 0), sessionID: "s"),
            askedAt: .seconds(100),
            expiresAt: .seconds(100 + lifetime),
            cause: cause
        )
    }

    @Test(arguments: [(600.0, 640.0), (100, 150), (3, 101.5), (86_400, 86_440)])
    func `a refresh runs as long before expiry as configured, or half of a short lifetime`(
        lifetime: Double,
        due: Double
    ) {
        let time = schedule.refreshTime(of: token(lifetime: lifetime), chance: 1)
        #expect(abs(time.inSeconds - due) < 0.001)
    }

    @Test(arguments: [(600.0, 580.0), (100, 180), (3, 102.4), (86_400, 69_220)])
    func `without a configured time a refresh runs when a fifth of the lifetime is left`(lifetime: Double, due: Double)
    {
        let schedule = RefreshSchedule(refreshBefore: nil, minimumInterval: .seconds(30))
        #expect(abs(schedule.refreshTime(of: token(lifetime: lifetime), chance: 1).inSeconds - due) < 0.001)
    }

    /// The apps' own code refreshes when five minutes or less remain.
    @Test(arguments: ["creatist", "outbox", "melchat", "bitbasel"])
    func `a token of fifteen minutes is refreshed five minutes before expiry with the apps' contracts`(preset: String)
        throws
    {
        let schedule = RefreshSchedule(try Contract.named(preset))
        #expect(schedule.refreshBefore(lifetime: .seconds(900)) == .seconds(300))
        #expect(schedule.refreshTime(of: token(lifetime: 900), chance: 1) == .seconds(700))
        #expect(schedule.refreshBefore(lifetime: .seconds(400)) == .seconds(200), "half of a lifetime is the limit")
    }

    @Test func `the app's refresh time takes precedence over the contract's`() throws {
        var policy = RefreshPolicy()
        policy.refreshBefore = .seconds(100)
        #expect(RefreshSchedule(try .named("outbox"), policy).refreshBefore(lifetime: .seconds(900)) == .seconds(100))
        #expect(RefreshSchedule(try .named("cognito")).refreshBefore == nil)
    }

    @Test func `jitter only delays a refresh, and the refresh still runs before the token expires`() {
        for chance in stride(from: -1.0, through: 2, by: 0.1) {
            let time = schedule.refreshTime(of: token(lifetime: 600), chance: chance)
            #expect(time >= .seconds(640) && time <= .seconds(655))
        }
    }

    @Test func `the server's refresh hint is limited to the time between the minimum interval and the expiry`() {
        func due(_ hint: Double) -> Double {
            var token = token(lifetime: 600)
            token.refreshHint = .seconds(100 + hint)
            return schedule.refreshTime(of: token, chance: 0.5).inSeconds
        }
        #expect(due(500) == 600)
        #expect(due(0) == 130)
        #expect(due(100_000) == 685)
    }

    @Test func `a token is not refreshed during the first half of its lifetime, regardless of the policy`() {
        let eager = RefreshSchedule(refreshBefore: .seconds(10_000), minimumInterval: .seconds(10_000))
        #expect(eager.refreshTime(of: token(lifetime: 10), chance: 1) >= .seconds(105))
    }

    @Test func `a token counts as fresh only for a limited time after a refresh that a rejection caused`() {
        #expect(schedule.isFreshAfterRejection(token(lifetime: 600, cause: .rejection), now: .seconds(129)))
        #expect(!schedule.isFreshAfterRejection(token(lifetime: 600, cause: .rejection), now: .seconds(130)))
        #expect(!schedule.isFreshAfterRejection(token(lifetime: 4, cause: .rejection), now: .seconds(102)))
        #expect(!schedule.isFreshAfterRejection(token(lifetime: 600, cause: .expiry), now: .seconds(101)))
        #expect(!schedule.isFreshAfterRejection(token(lifetime: 600, cause: .signIn), now: .seconds(101)))
    }
}

@Suite struct `Token read back` {
    @Test func `the age of a stored token is the time that has passed on the wall clock`() {
        let token = TimedAccessToken(
            Fixtures.stored(1),
            at: ClockSnapshot(now: .seconds(5), wall: Fixtures.moment(100).wall)
        )
        #expect(token.expiresAt == .seconds(505))
        #expect(token.token.expiresAt == Fixtures.moment(600).wall)
    }

    @Test(arguments: [-86_400.0, -6, 601, 86_400, 1e9, -.infinity, .infinity])
    func `a stored token expires early, never late, if the wall clock jumped`(age: Double) {
        let wall = Date(timeIntervalSince1970: 1_800_000_000 + max(-1e10, min(1e10, age)))
        let token = TimedAccessToken(Fixtures.stored(1), at: ClockSnapshot(now: .seconds(5), wall: wall))
        #expect(!token.isValid(at: .seconds(5)))
    }

    @Test func `a stored token keeps its lifetime if the wall clock was set back by two seconds`() {
        let token = TimedAccessToken(Fixtures.stored(1), at: Fixtures.moment(-2))
        #expect(token.expiresAt - .seconds(-2) == .seconds(600))
    }

    @Test func `a negative, infinite or oversized stored lifetime does not overflow the expiry`() {
        for lifetime in [-5.0, .infinity, 1e300] {
            let token = TimedAccessToken(Fixtures.stored(1, lifetime: lifetime), at: Fixtures.moment(1))
            #expect(token.expiresAt >= .zero)
        }
    }
}
