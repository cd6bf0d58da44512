// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

/// The counter-examples that model checking found for other protocols, and for ours with one rule left out
/// (`Models/results.txt`): here each ends as it should.
@Suite struct `Sequences that refute other protocols` {
    var session = ServerSession(.intent)

    // MARK: Other protocols

    @Test mutating func `a refresh that is repeated after a lost response gets the same successor`() {
        let first = session.refresh(session.token(0), .owner)
        #expect(session.refresh(session.token(0), .owner).handedOut == first.handedOut)
        #expect(session.refresh(session.token(1), .numbered(3)).handedOut == [2, 0])
    }

    @Test mutating func `a client that repeats a refresh almost a day later is still served`() {
        _ = session.refresh(session.token(0), .owner)
        #expect(session.refresh(session.token(0), .owner, after: .seconds(86_000)).handedOut == [1, 0])
    }

    /// Rotation with a grace window serves the second holder, a counter with a parent serves both for ever, and a client
    /// that makes a new intent for each attempt is not told from a thief.
    @Test mutating func `a token that is refreshed with two intents ends the session as a fork`() {
        #expect(session.refresh(session.token(0), .thief).handedOut == [1, 0])
        #expect(session.refresh(session.token(0), .owner) == .ended(.fork))
        #expect(session.refresh(session.token(1), .thief) == .ended(.fork))
    }

    @Test(arguments: [Intent.thief, .owner])
    func `an owner one generation behind an attacker is superseded, and its report ends the session`(first: Intent) {
        var session = ServerSession(.intent)
        _ = session.refresh(session.token(0), first)
        #expect(session.refresh(session.token(1), .thief).handedOut == [2, 0])
        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.report(session.token(0)) == .ended(.staleHolder))
    }

    @Test mutating func `a late duplicate after two rotations is superseded, and the session continues`() {
        _ = session.refresh(session.token(0), .numbered(1))
        _ = session.refresh(session.token(1), .numbered(2))
        #expect(session.refresh(session.token(0), .numbered(1), after: .seconds(3600)) == .superseded)
        #expect(session.refresh(session.token(2), .numbered(3)).handedOut == [3, 0])
    }

    @Test mutating func `a row that lost its last commits is rolled forward by the next refresh`() {
        let snapshot = session.row
        _ = session.refresh(session.token(0), .numbered(1))
        _ = session.refresh(session.token(1), .numbered(2))
        session.row = snapshot
        #expect(session.refresh(session.token(2), .numbered(3)) == .served(session.token(3), .rolledForward(1)))
    }

    // MARK: Ours, with one rule left out

    @Test mutating func `an older token from a client's outdated store is superseded and does not end the session`() {
        _ = session.refresh(session.token(0), .numbered(1))
        _ = session.refresh(session.token(1), .numbered(2))
        _ = session.refresh(session.token(2), .numbered(3))
        #expect(session.refresh(session.token(1), .numbered(4)) == .superseded)
        #expect(session.row.ending == nil)
    }

    @Test mutating func `a superseded token does not revoke the session`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.confirm(session.token(1))
        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.refresh(session.token(1), .numbered(2)).handedOut == [2, 0])
    }

    @Test mutating func `a successor after a lost commit is served and not refused as forged`() {
        let snapshot = session.row
        _ = session.refresh(session.token(0), .numbered(1))
        session.row = snapshot
        #expect(session.refresh(session.token(1), .numbered(2)) == .served(session.token(2), .proved))
    }

    @Test mutating func `a stolen token that was superseded does not end the session`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.confirm(session.token(1))
        for _ in 0..<3 { #expect(session.refresh(session.token(0), .thief) == .superseded) }
        #expect(session.refresh(session.token(1), .owner).handedOut == [2, 0])
    }

    @Test
    func `a second server that decided on the same row finds a fork when it decides again`()
        throws
    {
        let read = ServerSession(.intent)
        let decide = { (row: SessionRow, intent: Intent) in
            read.policy.refresh(row, token: read.token(0), intent: intent, now: read.now, keys: read.keys)
        }
        let (first, second) = (decide(read.row, .owner), decide(read.row, .thief))
        #expect(first.answer == .served(read.token(1), .bound))
        #expect(second.answer == .served(read.token(1), .bound))

        // The second write is conditional on what was read, which the first has changed.
        let written = try #require(first.row)
        #expect(written.rotation != read.row.rotation)
        #expect(decide(written, .thief).answer == .ended(.fork))
    }

    @Test mutating func `a client whose storage was restored from an old copy is signed out as a stale holder`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.confirm(session.token(1))
        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.report(session.token(0)) == .ended(.staleHolder))
    }

    // MARK: Plain mode, branch rules (Models/plain.py)

    @Test func `an attacker that was issued a sibling in plain mode is detected as a fork`() {
        var session = ServerSession(.plain)
        _ = session.refresh(session.token(0))
        // The owner's answer is lost; the thief, who has T0, is given the sibling; both go on.
        _ = session.refresh(session.token(0), after: .seconds(61))
        _ = session.refresh(session.token(1, branch: 2), after: .seconds(61))
        #expect(session.refresh(session.token(1, branch: 1), after: .seconds(61)) == .ended(.fork))
    }

    @Test func `a duplicate request later than the window W in plain mode ends the session as reuse`() {
        var session = ServerSession(.plain)
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(1, branch: 1))
        #expect(session.refresh(session.token(0), after: .seconds(61)) == .ended(.reuse))
    }
}
