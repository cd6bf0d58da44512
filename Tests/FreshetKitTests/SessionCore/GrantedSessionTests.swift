// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Sessions of grants` {
    var grant = SessionGrant(accessToken: "a", refreshToken: "r", lifetime: .seconds(600))

    private func session(after before: StoredSession? = nil) -> StoredSession {
        StoredSession(grant, askedAt: Fixtures.moment(0), before: before)
    }

    @Test mutating func `a sign-in starts with the generation of its refresh token, or with zero`() {
        #expect(session().generation == 0)
        grant.generation = 7
        #expect(session().generation == 7)
    }

    @Test mutating func `a session that another contract opened counts its own generations`() {
        let before = Fixtures.stored(3)
        grant.generation = 9
        #expect(session(after: before).generation == 4)
        grant.sessionID = "another"
        #expect(session(after: before).generation == 4)
        grant.sessionID = before.id
        #expect(session(after: before).generation == 9)
        grant.generation = nil
        #expect(session(after: before).generation == 4)
    }

    @Test mutating func `only a refresh that extends the session changes its expiry`() {
        var before = Fixtures.stored(3)
        before.endsAt = 1_800_000_100
        grant.sessionLifetime = .seconds(500)
        #expect(session(after: before).endsAt == 1_800_000_100)
        grant.isSessionExtended = true
        #expect(session(after: before).endsAt == 1_800_000_500)
    }
}
