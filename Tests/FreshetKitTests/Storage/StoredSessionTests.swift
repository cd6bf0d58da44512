// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Stored session` {
    /// Two sessions with different IDs and equal tokens.
    private func pair(_ change: (inout StoredSession, inout StoredSession) -> Void) -> (StoredSession, StoredSession) {
        var (one, other) = (Fixtures.stored(1), Fixtures.stored(1))
        one.id = "x"
        change(&one, &other)
        return (one, other)
    }

    @Test func `user IDs are compared if their sources are equal or unknown`() {
        for (source, otherSource, isSame) in [
            (nil, nil, false), ("jwt:sub", nil, false), (nil, "jwt:sub", false), ("jwt:sub", "jwt:sub", false),
            ("jwt:sub", "field:user.id", true),
        ] as [(String?, String?, Bool)] {
            let (one, other) = pair { one, other in
                (one.userID, one.userSource) = ("u1", source)
                (other.userID, other.userSource) = ("u2", otherSource)
            }
            #expect(one.isSameSession(as: other) == isSame)
            #expect(other.isSameSession(as: one) == isSame)
        }
        let (one, other) = pair { one, _ in one.userID = nil }
        #expect(one.isSameSession(as: other))
    }

    @Test func `stored sessions are the same if their IDs, or else their tokens, are equal`() {
        var other = Fixtures.stored(2)
        other.userID = "u2"
        #expect(Fixtures.stored(1).isSameSession(as: other))
        let (one, rotated) = pair { one, _ in one.refreshToken = "r" }
        #expect(!one.isSameSession(as: rotated))
        let (without, with) = pair { one, _ in one.refreshToken = nil }
        #expect(!without.isSameSession(as: with) && !with.isSameSession(as: without))
        for (token, isSame) in [("access-1", true), ("other", false)] {
            let (one, other) = pair { one, other in
                (one.refreshToken, other.refreshToken) = (nil, nil)
                one.accessToken = token
            }
            #expect(one.isSameSession(as: other) == isSame)
        }
    }

    @Test func `a session that continues a stored one has its ID, and the next generation with a new access token`() {
        var stored = Fixtures.stored(4)
        stored.email = "stored@example.com"
        var new = Fixtures.stored(0, id: Fixtures.otherSession)
        new.userID = "new"
        new.userSource = "jwt:sub"
        let continued = new.continuing(stored)
        #expect(continued.id == stored.id && continued.generation == 5)
        #expect(continued.userID == "u1" && continued.userSource == nil)
        #expect(continued.email == "ada@example.com")
        new.accessToken = stored.accessToken
        new.email = nil
        stored.userID = nil
        stored.userSource = "field:id"
        let same = new.continuing(stored)
        #expect(same.generation == 4 && same.email == "stored@example.com")
        #expect(same.userID == "new" && same.userSource == "jwt:sub")
        // A session does not continue itself.
        #expect(stored.continuing(stored).generation == 4)
        stored.generation = .max
        #expect(stored.nextGeneration == .max)
    }
}
