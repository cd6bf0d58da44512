// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Clock readings` {
    private let tenYears = 10.0 * 365 * 86_400

    @Test func `a stored token with a known age has the store as the source of its expiry`() {
        #expect(TimedAccessToken(Fixtures.stored(1), at: Fixtures.moment(100)).source == .stored)
    }

    @Test func `the expiry of a stored token without a lifetime is unknown`() {
        let token = TimedAccessToken(Fixtures.stored(1, lifetime: 0), at: Fixtures.moment(100))
        #expect(token.source == .unknown)
        #expect(!token.isValid(at: .seconds(100)))
    }

    @Test func `a stored lifetime is at most ten years`() {
        let token = TimedAccessToken(Fixtures.stored(1, lifetime: .infinity), at: Fixtures.moment(0))
        #expect(token.askedAt == .zero)
        #expect(token.expiresAt == .seconds(tenYears))
        #expect(Duration.longest == .seconds(tenYears), "the bound of all durations")
    }

    /// The wall clock is corrected by a few seconds.
    @Test func `a stored token's expiry stays known if the wall clock was set back by less than five seconds`() {
        let corrected = TimedAccessToken(Fixtures.stored(1), at: Fixtures.moment(-4.5))
        #expect(corrected.source == .stored)
        #expect(corrected.expiresAt == .seconds(595.5))
        for age in [-5.0, -5.5] {
            let token = TimedAccessToken(Fixtures.stored(1), at: Fixtures.moment(age))
            #expect(token.source == .unknown)
            #expect(!token.isValid(at: .seconds(age)))
        }
    }

    @Test func `an age of ten years or more is unknown, because no token is that old`() {
        let young = Fixtures.moment(tenYears - 1)
        #expect(TimedAccessToken(Fixtures.stored(1), at: young).source == .stored)
        let old = Fixtures.moment(tenYears)
        #expect(TimedAccessToken(Fixtures.stored(1), at: old).source == .unknown)
    }

    @Test(arguments: [(10.0, true), (9, false)])
    func `a token that was requested later on the boot clock has an unknown age`(elapsed: Double, isKnown: Bool) {
        var session = Fixtures.stored(1)
        session.askedSinceBoot = 10
        session.boot = "a"
        // The wall clock alone would give the token an age of 100 seconds.
        var moment = Fixtures.moment(100)
        moment.boot = BootTime(boot: "a", elapsed: .seconds(elapsed))
        let token = TimedAccessToken(session, at: moment)
        #expect(token.isValid(at: moment.now) == isKnown)
        #expect(token.source == (isKnown ? .stored : .unknown))
    }

    @Test(arguments: [(-1.0, false), (0, false), (1, true)])
    func `without a boot clock, the wall clock decides whether a sign-in was later than a sign-out`(
        seconds: Double,
        isLater: Bool
    ) {
        let signOut = Fixtures.moment(100)
        #expect(StoredTime(Fixtures.moment(100 + seconds)).isAfter(StoredTime(signOut)) == isLater)
        var session = Fixtures.stored(3)
        session.signedIn = StoredTime(Fixtures.moment(100 + seconds))
        let pending = SessionStateMachine<String>.PendingSignOut(session: nil, reason: .requested, time: signOut)
        #expect(pending.ends(session) == !isLater)
    }
}
