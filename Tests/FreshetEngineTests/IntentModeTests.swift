// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Intent mode, row by row` {
    var session = ServerSession(.intent)

    @Test mutating func `a refresh of a revoked session always returns the reason of its end`() {
        _ = session.logout(session.token(0))

        #expect(session.refresh(session.token(0), .owner) == .ended(.logout))
        #expect(session.refresh(session.token(7), .owner) == .ended(.logout))
    }

    @Test mutating func `a refresh after the idle expiry returns an idle timeout without a write`() {
        let before = session.row

        #expect(session.refresh(session.token(0), .owner, after: .seconds(86_400)) == .ended(.idleTimeout))
        #expect(session.row == before)
    }

    @Test mutating func `refreshes do not extend the absolute expiry of a session`() {
        for day in 0..<10 {
            let answer = session.refresh(session.token(UInt64(day)), .numbered(9), after: .seconds(86_399))
            #expect(answer.handedOut == [UInt64(day) + 1, 0])
        }
        #expect(session.refresh(session.token(10), .numbered(9), after: .seconds(10)) == .ended(.absoluteTimeout))
    }

    @Test mutating func `a refresh with an overtaken token returns superseded and changes nothing`() {
        _ = session.refresh(session.token(1), .owner)
        let before = session.row

        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.refresh(session.token(0), .thief, after: .seconds(3600)) == .superseded)
        #expect(session.row == before)
    }

    @Test mutating func `the first intent of a refresh is bound, and the successor is issued`() {
        let answer = session.refresh(session.token(0), .owner)

        #expect(answer == .served(session.token(1), .bound))
        #expect(session.row.rotation.intent == IntentHash(.owner))
        #expect(session.row.rotation.current == 0)
    }

    @Test mutating func `a refresh repeated with the same intent gets the same successor without a time limit`() {
        let first = session.refresh(session.token(0), .owner)
        let state = session.row.rotation

        for wait in [Duration.zero, .seconds(3600), .seconds(80_000)] {
            let again = session.refresh(session.token(0), .owner, after: wait)
            #expect(again.handedOut == first.handedOut)
            #expect(again == .served(session.token(1), .repeated))
        }
        #expect(session.row.rotation == state)
    }

    @Test
    mutating func `a repeated refresh writes nothing within a minute, and a later one extends the idle expiry`() {
        _ = session.refresh(session.token(0), .owner)
        let before = session.row

        _ = session.refresh(session.token(0), .owner, after: .seconds(59))
        #expect(session.row == before)

        _ = session.refresh(session.token(0), .owner, after: .seconds(80_000))
        #expect(session.row.rotation == before.rotation)
        #expect(session.row.idleExpiry == session.now + .seconds(86_400))
    }

    @Test mutating func `a refresh of the same token with another intent ends the session as a fork`() {
        _ = session.refresh(session.token(0), .owner)

        #expect(session.refresh(session.token(0), .thief) == .ended(.fork))
        #expect(session.refresh(session.token(0), .owner) == .ended(.fork))
        #expect(session.refresh(session.token(1), .owner) == .ended(.fork))
    }

    @Test mutating func `a refresh with the successor proves its receipt and binds its intent`() {
        _ = session.refresh(session.token(0), .numbered(1))

        #expect(session.refresh(session.token(1), .numbered(2)) == .served(session.token(2), .proved))
        #expect(session.row.rotation.current == 1)
        #expect(session.row.rotation.intent == IntentHash(.numbered(2)))
        #expect(session.row.rotation.provedAt == session.now)
    }

    @Test mutating func `a row that lost commits is rolled forward, and the loss is counted`() {
        #expect(session.refresh(session.token(5), .owner) == .served(session.token(6), .rolledForward(4)))
        #expect(session.row.rotation.current == 5)
    }

    @Test mutating func `a refresh without an intent is refused and changes nothing`() {
        let before = session.row

        #expect(session.refresh(session.token(0), nil) == .refused(.intentRequired))
        #expect(session.row == before)
        _ = session.refresh(session.token(0), .owner)
        #expect(session.refresh(session.token(0), nil) == .refused(.intentRequired))
        #expect(session.refresh(session.token(0), .owner) == .served(session.token(1), .repeated))
    }

    @Test mutating func `a served refresh extends the idle expiry, but not past the absolute expiry`() {
        _ = session.refresh(session.token(0), .owner, after: .seconds(3600))
        #expect(session.row.idleExpiry == session.now + .seconds(86_400))
        #expect(session.row.lastUsedAt == session.now)

        session.row.idleExpiry = session.row.absoluteExpiry
        session.now = session.row.absoluteExpiry
        _ = session.refresh(session.token(1), .owner, after: .seconds(-10))
        #expect(session.row.idleExpiry == session.row.absoluteExpiry)
    }

    @Test func `a refresh is repeated if its token had been presented before`() {
        let token = session.token(1)
        let outcomes: [(RotationOutcome, Bool)] = [
            (.served(token, .bound), false), (.served(token, .repeated), true), (.served(token, .sibling), true),
            (.served(token, .proved), false), (.served(token, .rolledForward(2)), false),
            (.served(token, .unrotated), true), (.superseded, false), (.ended(.fork), false), (.recorded, false),
        ]
        for (outcome, isRepeated) in outcomes { #expect(RotationDecision(outcome).isRepeated == isRepeated) }
    }

    @Test mutating func `a fork of a native session must be durable, a rotation need not be`() {
        let rotation = session.policy.refresh(
            session.row,
            token: session.token(0),
            intent: .owner,
            now: session.now,
            keys: session.keys
        )
        #expect(!rotation.mustBeDurable)

        _ = session.refresh(session.token(0), .owner)
        let fork = session.policy.refresh(
            session.row,
            token: session.token(0),
            intent: .thief,
            now: session.now,
            keys: session.keys
        )
        #expect(fork.mustBeDurable)
    }
}

@Suite struct `Confirm, report and logout, row by row` {
    var session = ServerSession(.intent)

    @Test mutating func `a confirmation advances the row's generation and clears its intent`() {
        _ = session.refresh(session.token(0), .owner)

        #expect(session.confirm(session.token(1)) == .recorded)
        #expect(session.row.rotation.current == 1)
        #expect(session.row.rotation.intent == nil)
        #expect(session.refresh(session.token(0), .thief) == .superseded)
        #expect(session.refresh(session.token(1), .owner) == .served(session.token(2), .bound))
    }

    @Test mutating func `a confirmation of the current or an older generation changes nothing`() {
        _ = session.refresh(session.token(3), .owner)
        let before = session.row

        #expect(session.confirm(session.token(3)) == .recorded)
        #expect(session.confirm(session.token(1)) == .recorded)
        #expect(session.row == before)
    }

    @Test mutating func `a report of an overtaken token ends the session`() {
        _ = session.refresh(session.token(1), .thief)

        #expect(session.report(session.token(0)) == .ended(.staleHolder))
        #expect(session.refresh(session.token(2), .thief) == .ended(.staleHolder))
    }

    @Test mutating func `a report of a token that is not overtaken changes nothing`() {
        let before = session.row

        #expect(session.report(session.token(0)) == .recorded)
        #expect(session.report(session.token(4)) == .recorded)
        #expect(session.row == before)
    }

    @Test(arguments: [0, 1, 2] as [UInt64])
    func `a logout with any genuine token ends the session, and a repeated one is no error`(generation: UInt64) {
        var session = ServerSession(.intent)
        _ = session.refresh(session.token(1), .owner)

        #expect(session.logout(session.token(generation)) == .recorded)
        #expect(session.row.ending?.reason == .logout)
        let ended = session.row
        #expect(session.logout(session.token(generation)) == .recorded)
        #expect(session.row == ended)
    }

    @Test func `an end that the database lost is stored again in place of a refresh that would be served`() {
        func refresh(_ intent: Intent?) -> RotationDecision {
            session.policy.refresh(
                session.row,
                token: session.token(0),
                intent: intent,
                now: session.now,
                keys: session.keys
            )
        }
        let now = session.now + .seconds(5)
        var ended = session.row
        ended.ending = SessionRow.Ending(at: now, reason: .logout)
        let again = session.policy.endAgain(session.row, refresh(.owner), .logout, now: now)
        #expect(again == RotationDecision(.ended(.logout), row: ended))
        #expect(again.mustBeDurable)

        let refused = refresh(nil)
        #expect(refused == RotationDecision(.refused(.intentRequired)))
        #expect(session.policy.endAgain(session.row, refused, .logout, now: now) == refused)
    }

    @Test mutating func `a confirmation and a report after a session's end return the reason of the end`() {
        _ = session.logout(session.token(0))

        #expect(session.confirm(session.token(1)) == .ended(.logout))
        #expect(session.report(session.token(0)) == .ended(.logout))
    }
}
