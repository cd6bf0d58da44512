// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Plain mode, row by row` {
    var session = ServerSession(.plain)

    @Test mutating func `a refresh with an unbound current token binds the first branch`() {
        #expect(session.refresh(session.token(0)) == .served(session.token(1, branch: 1), .bound))
    }

    @Test mutating func `a refresh repeated within the window W gets the same successor and changes nothing`() {
        _ = session.refresh(session.token(0))
        let before = session.row

        #expect(
            session.refresh(session.token(0), after: .seconds(59)) == .served(session.token(1, branch: 1), .repeated)
        )
        #expect(session.row == before)
    }

    @Test mutating func `a refresh repeated after the window W gets a sibling, and the replaced token exposes a fork`()
    {
        _ = session.refresh(session.token(0))

        #expect(
            session.refresh(session.token(0), after: .seconds(60)) == .served(session.token(1, branch: 2), .sibling)
        )
        #expect(session.refresh(session.token(1, branch: 1)) == .ended(.fork))
    }

    @Test mutating func `an orphan is superseded within the window W after the proof, and is a fork afterwards`() {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(0), after: .seconds(60))
        _ = session.refresh(session.token(1, branch: 2))
        let before = session.row

        #expect(session.refresh(session.token(1, branch: 1), after: .seconds(59)) == .superseded)
        #expect(session.row == before)
        #expect(session.refresh(session.token(1, branch: 1), after: .seconds(1)) == .ended(.fork))
    }

    @Test mutating func `the successor of the newest branch proves its receipt`() {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(0), after: .seconds(60))

        #expect(session.refresh(session.token(1, branch: 2)) == .served(session.token(2, branch: 1), .proved))
        #expect(session.row.rotation.branch == 2)
    }

    @Test mutating func `a successor of an unbound row is served after lost commits`() {
        #expect(session.refresh(session.token(1, branch: 1)) == .served(session.token(2, branch: 1), .proved))
    }

    @Test mutating func `a successor of a newer branch than the row's is served after lost commits`() {
        _ = session.refresh(session.token(0))
        #expect(session.refresh(session.token(1, branch: 2)) == .served(session.token(2, branch: 1), .proved))
    }

    @Test mutating func `the successor of an older branch ends the session as a fork`() {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(0), after: .seconds(60))

        #expect(session.refresh(session.token(1, branch: 1)) == .ended(.fork))
    }

    @Test mutating func `an older token is superseded within the window W after the proof, and is reuse afterwards`() {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(1, branch: 1))
        let before = session.row

        #expect(session.refresh(session.token(0), after: .seconds(59)) == .superseded)
        #expect(session.row == before)
        #expect(session.refresh(session.token(0), after: .seconds(1)) == .ended(.reuse))
        #expect(session.refresh(session.token(2, branch: 1)) == .ended(.reuse))
    }

    @Test mutating func `a token several generations ahead rolls the row forward`() {
        #expect(
            session.refresh(session.token(4, branch: 3)) == .served(session.token(5, branch: 1), .rolledForward(3))
        )
        #expect(session.row.rotation.branch == 3)
    }

    @Test mutating func `the window W is measured from the proof of receipt, not from the last use`() {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(1, branch: 1))
        _ = session.refresh(session.token(1, branch: 1), after: .seconds(61))

        #expect(session.refresh(session.token(0)) == .ended(.reuse))
    }

    @Test mutating func `a client that starts to send intents is bound to them`() {
        _ = session.refresh(session.token(0))
        #expect(session.refresh(session.token(0), .owner) == .served(session.token(1, branch: 1), .repeated))
        #expect(session.row.rotation.mode == .intent)
        #expect(session.refresh(session.token(0), .owner, after: .seconds(600)).handedOut == [1, 1])
        #expect(session.refresh(session.token(1, branch: 1), .owner) == .served(session.token(2), .proved))
        #expect(session.refresh(session.token(1, branch: 1), .thief) == .ended(.fork))
    }

    /// One request with an intent would otherwise shut the owner out and never show.
    @Test mutating func `a thief that binds a plain client's token to an intent is detected by its owner's refresh`() {
        var session = ServerSession(.plain, contract: "app")
        #expect(session.refresh(session.token(0), .thief).handedOut == [1, 0])
        #expect(session.refresh(session.token(0), nil, after: .seconds(59)) == .superseded)
        #expect(session.refresh(session.token(0), .thief, after: .seconds(2)).handedOut == [1, 0])
        #expect(session.refresh(session.token(0), nil) == .ended(.fork))
    }

    @Test mutating func `the owner's refresh exposes a thief that has refreshed several times, too`() {
        var session = ServerSession(.plain, contract: "app")
        _ = session.refresh(session.token(0), .thief)
        _ = session.refresh(session.token(1), .thief, after: .seconds(100))
        #expect(session.refresh(session.token(0), nil, after: .seconds(61)) == .ended(.fork))
    }

    @Test mutating func `a session that started in intent mode refuses a refresh without an intent`() {
        var session = ServerSession()
        _ = session.refresh(session.token(0), .owner)
        let before = session.row
        #expect(session.refresh(session.token(0), nil, after: .seconds(600)) == .refused(.intentRequired))
        #expect(session.row == before)
    }

    @Test mutating func `an orphan from before the first intent still exposes two holders`() {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(0), .owner, after: .seconds(60))

        #expect(session.refresh(session.token(1, branch: 1), .thief) == .ended(.fork))
    }

    @Test
    mutating func
        `an orphan with an intent is superseded within the window W after the proof, and is a fork afterwards`()
    {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(0), after: .seconds(60))
        _ = session.refresh(session.token(1, branch: 2), .owner)
        #expect(session.row.rotation.mode == .intent)

        #expect(session.refresh(session.token(1, branch: 1), .owner, after: .seconds(59)) == .superseded)
        #expect(session.refresh(session.token(1, branch: 1), .owner, after: .seconds(1)) == .ended(.fork))
    }

    @Test mutating func `confirming an orphan exposes two holders`() {
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(0), after: .seconds(60))

        #expect(session.confirm(session.token(1, branch: 1)) == .ended(.fork))
    }
}

@Suite struct `A session in a mode that only a newer server knows` {
    var session = ServerSession(.other(9))

    @Test mutating func `a session in an unknown mode accepts only a logout, and other requests do not change it`() {
        let (token, row) = (session.token(0), session.row)
        #expect(session.refresh(token) == .refused(.unsupportedMode))
        #expect(session.refresh(token, .owner) == .refused(.unsupportedMode))
        #expect(session.confirm(session.token(1)) == .refused(.unsupportedMode))
        #expect(session.report(token) == .refused(.unsupportedMode))
        #expect(!session.policy.wouldServe(session.row, token: token, now: session.now, keys: session.keys))
        #expect(session.row == row)
        #expect(session.logout(token) == .recorded)
        #expect(session.row.ending?.reason == .logout)
    }

    @Test func `rotation modes are stored with fixed numbers`() {
        for (number, mode) in [RotationState.Mode.intent, .plain, .static, .other(3)].enumerated() {
            #expect(RotationState.Mode(stored: Int64(number)) == mode)
            #expect(mode.rawValue == Int64(number))
            #expect(mode.isKnown == (number < 3))
        }
        #expect(RotationState.Mode(stored: -1) == .other(-1))
    }
}

@Suite struct `A session that was upgraded from plain mode` {
    var session = ServerSession(.plain, contract: "app")

    @Test mutating func `a refresh without an intent is superseded within the window W after the last bound one`() {
        _ = session.refresh(session.token(0), .owner)
        #expect(session.confirm(session.token(1)) == .recorded)
        _ = session.refresh(session.token(1), .owner, after: .seconds(1000))
        #expect(session.refresh(session.token(1), after: .seconds(59)) == .superseded)
        #expect(session.refresh(session.token(1), after: .seconds(1)) == .ended(.fork))
    }

    @Test mutating func `a repeated request gets the same successor from a backup of the row before the upgrade`() {
        let backup = session.row
        #expect(session.refresh(session.token(0), .owner).handedOut == [1, 0])
        #expect(session.refresh(session.token(1), .owner).handedOut == [2, 0])
        session.row = backup
        #expect(session.refresh(session.token(1), .owner, after: .seconds(600)).handedOut == [2, 0])
        #expect(session.refresh(session.token(2), .owner, after: .seconds(600)).handedOut == [3, 0])
    }

    @Test mutating func `the first intent later than the window W gets the next sibling, as in plain mode`() {
        #expect(session.refresh(session.token(0)).handedOut == [1, 1])
        #expect(session.refresh(session.token(0), .owner, after: .seconds(600)).handedOut == [1, 2])
        #expect(session.refresh(session.token(1, branch: 2), .owner).handedOut == [2, 0])
    }

    @Test mutating func `a repeated refresh that upgrades the session restarts the window W`() {
        _ = session.refresh(session.token(0))
        #expect(session.refresh(session.token(0), .owner, after: .seconds(59)).handedOut == [1, 1])
        #expect(session.row.rotation.boundAt == session.now)
        #expect(session.refresh(session.token(0), after: .seconds(59)) == .superseded)
        #expect(session.refresh(session.token(0), after: .seconds(1)) == .ended(.fork))
    }

    @Test func `a genuine token of another session is refused as forged, even with this session's salt`() {
        let body = RefreshTokenPayload(keyID: 1, session: .random(), generation: 0, branch: 0)
        let token = session.keys.token(body, salt: session.row.salt)
        let decision = session.policy.refresh(
            session.row,
            token: token,
            intent: nil,
            now: session.now,
            keys: session.keys
        )
        #expect(decision.answer == .refused(.forged))
        #expect(decision.row == nil)
    }
}

@Suite struct `Static mode` {
    var session = ServerSession(.static)

    @Test mutating func `a static session keeps its token, and each refresh extends the idle expiry`() {
        let token = session.token(0)
        for intent in [nil, Intent.owner, .thief] {
            #expect(session.refresh(token, intent, after: .seconds(80_000)) == .served(token, .unrotated))
            #expect(session.row.idleExpiry == session.now + .seconds(86_400))
        }
        #expect(session.refresh(token, after: .seconds(86_400)) == .ended(.idleTimeout))
    }

    @Test mutating func `a confirmation and a report change nothing in static mode`() {
        let before = session.row
        #expect(session.confirm(session.token(0)) == .recorded)
        #expect(session.confirm(session.token(1)) == .recorded)
        #expect(session.report(session.token(0)) == .recorded)
        #expect(session.row == before)
    }

    @Test mutating func `a refresh of a static session at its absolute expiry returns an absolute timeout`() {
        session.row.idleExpiry = session.row.absoluteExpiry
        session.now = session.row.absoluteExpiry
        #expect(session.refresh(session.token(0)) == .ended(.absoluteTimeout))
    }
}
