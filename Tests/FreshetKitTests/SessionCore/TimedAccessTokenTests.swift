// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Times of stored tokens` {
    @Test func `the lifetime of a stored token is limited to ten years`() {
        let token = TimedAccessToken(Fixtures.stored(0, lifetime: 1e12), at: Fixtures.moment(0))
        #expect(token.expiresAt - token.askedAt == .seconds(315_360_000))
    }

    @Test func `the time at which a server suggests a refresh is counted from its request`() {
        var grant = SessionGrant(accessToken: "a", refreshToken: "r", lifetime: .seconds(600))
        grant.refreshAfter = .seconds(512)
        let token = TimedAccessToken(grant, of: "s", askedAt: Fixtures.moment(1000), cause: .signIn)
        #expect(token.refreshHint == .seconds(1512))
    }

    @Test(arguments: [(-6.0, false), (-5, false), (-4, true), (0, true), (1, true)])
    func `the age of a token is unknown if the clock was set back by five seconds or more`(
        age: Double,
        isKnown: Bool
    ) {
        let token = TimedAccessToken(Fixtures.stored(0), at: Fixtures.moment(age))
        #expect(token.source == (isKnown ? .stored : .unknown))
        #expect(token.isValid(at: .seconds(age)) == isKnown)
    }

    @Test(arguments: [(-1.0, true), (0, false), (1, false)])
    func `without a boot clock, a sign-in at the time of a sign-out is not later`(signOut: Double, isLater: Bool) {
        #expect(Fixtures.stored(0).wasSignedIn(after: Fixtures.moment(signOut)) == isLater)
    }
}
