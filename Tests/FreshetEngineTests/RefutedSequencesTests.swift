// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

/// The counter-examples that model checking found for other protocols, and for ours with one rule left out
/// (`Models/results.txt`): here each ends as it should.
@Suite struct `Sequences that refute other protocols` {
    var session = SessionOnServer(.intent)

    // MARK: Other protocols

    @Test mutating func `one-time rotation, answer lost: the retry is served, not revoked`() {
        let lost = session.refresh(session.token(0), .owner)
        #expect(session.refresh(session.token(0), .owner).handedOut == lost.handedOut)
    }

    @Test mutating func `one-time rotation, delivered twice: both get the same`() {
        let first = session.refresh(session.token(0), .owner)
        #expect(session.refresh(session.token(0), .owner).handedOut == first.handedOut)
        #expect(session.refresh(session.token(1), .numbered(3)).handedOut == [2, 0])
    }

    @Test mutating func `grace window, client back after the window: still served`() {
        _ = session.refresh(session.token(0), .owner)
        #expect(session.refresh(session.token(0), .owner, after: .seconds(86_000)).handedOut == [1, 0])
    }

    @Test mutating func `grace window, thief on a branch of his own: exposed when he asks`() {
        _ = session.refresh(session.token(0), .owner)
        #expect(session.refresh(session.token(0), .thief) == .ended(.fork))
    }

    @Test mutating func `counter with parent, late duplicate after two rotations: superseded, and the session lives`() {
        _ = session.refresh(session.token(0), .numbered(1))
        _ = session.refresh(session.token(1), .numbered(2))
        #expect(session.refresh(session.token(0), .numbered(1), after: .seconds(3600)) == .superseded)
        #expect(session.refresh(session.token(2), .numbered(3)).handedOut == [3, 0])
    }

    @Test mutating func `counter with parent, database lost its last commits: rolled forward`() {
        let snapshot = session.row
        _ = session.refresh(session.token(0), .numbered(1))
        _ = session.refresh(session.token(1), .numbered(2))
        session.row = snapshot
        #expect(session.refresh(session.token(2), .numbered(3)) == .served(session.token(3), .rolledForward(1)))
    }

    @Test mutating func `counter with parent, lock-step sharing: the owner's next refresh ends it`() {
        // The thief copies T0 and is first; the owner asks with an intent of its own.
        _ = session.refresh(session.token(0), .thief)
        #expect(session.refresh(session.token(0), .owner) == .ended(.fork))
    }

    @Test mutating func `lock-step sharing, thief one ahead: superseded, reported, ended`() {
        _ = session.refresh(session.token(0), .thief)
        _ = session.refresh(session.token(1), .thief)
        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.report(session.token(0)) == .ended(.staleHolder))
    }

    // MARK: Ours, with one rule left out

    @Test mutating func `no write-ahead of the intent: a fresh one per attempt looks like two holders`() {
        _ = session.refresh(session.token(0), .numbered(1))
        #expect(session.refresh(session.token(0), .numbered(2)) == .ended(.fork))
    }

    @Test mutating func `store goes backwards: an answer taken twice would meet superseded, never a false end`() {
        _ = session.refresh(session.token(0), .numbered(1))
        _ = session.refresh(session.token(1), .numbered(2))
        _ = session.refresh(session.token(2), .numbered(3))
        #expect(session.refresh(session.token(1), .numbered(4)) == .superseded)
        #expect(session.row.ending == nil)
    }

    @Test mutating func `confirmed before it was durable: the client that lost it can no longer go on`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.confirm(session.token(1))
        #expect(session.refresh(session.token(0), .owner) == .superseded)
    }

    @Test mutating func `superseded revokes nothing`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.confirm(session.token(1))
        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.refresh(session.token(1), .numbered(2)).handedOut == [2, 0])
    }

    @Test mutating func `lost commits are no sign of forgery`() {
        let snapshot = session.row
        _ = session.refresh(session.token(0), .numbered(1))
        session.row = snapshot
        #expect(session.refresh(session.token(1), .numbered(2)) == .served(session.token(2), .proved))
    }

    @Test mutating func `a thief who copied the token before the first intent cannot rotate unnoticed`() {
        #expect(session.refresh(session.token(0), .thief).handedOut == [1, 0])
        #expect(session.refresh(session.token(0), .owner) == .ended(.fork))
        #expect(session.refresh(session.token(1), .thief) == .ended(.fork))
    }

    @Test mutating func `a thief in the client's memory is exposed by the report`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.refresh(session.token(1), .thief)
        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.report(session.token(0)) == .ended(.staleHolder))
    }

    @Test mutating func `a stolen token that was overtaken harms nobody`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.confirm(session.token(1))
        for _ in 0..<3 { #expect(session.refresh(session.token(0), .thief) == .superseded) }
        #expect(session.refresh(session.token(1), .owner).handedOut == [2, 0])
    }

    @Test func `two machines deciding on one reading: the second write finds another row than it read`() {
        let session = SessionOnServer(.intent)
        let first = session.policy.refresh(
            session.row,
            token: session.token(0),
            intent: .owner,
            now: session.now,
            keys: session.keys
        )
        let second = session.policy.refresh(
            session.row,
            token: session.token(0),
            intent: .thief,
            now: session.now,
            keys: session.keys
        )
        // Both would be served: the write is conditional on the state that was read, so one of them must decide again.
        #expect(first.answer.handedOut == second.answer.handedOut)
        #expect(first.row?.rotation != session.row.rotation)
        #expect(second.row?.rotation != first.row?.rotation)
    }

    @Test mutating func `limit: client storage restored from an old copy needs a new sign-in, and says so`() {
        _ = session.refresh(session.token(0), .owner)
        _ = session.confirm(session.token(1))
        #expect(session.refresh(session.token(0), .owner) == .superseded)
        #expect(session.report(session.token(0)) == .ended(.staleHolder))
    }

    // MARK: Plain mode, branch rules (Models/plain.py)

    @Test func `plain: without the branch rules this theft would stay hidden`() {
        var session = SessionOnServer(.plain)
        _ = session.refresh(session.token(0))
        // The owner's answer is lost; the thief, who has T0, is given the sibling; both go on.
        _ = session.refresh(session.token(0), after: .seconds(61))
        _ = session.refresh(session.token(1, branch: 2), after: .seconds(61))
        #expect(session.refresh(session.token(1, branch: 1), after: .seconds(61)) == .ended(.fork))
    }

    @Test func `plain, stated limit: a duplicate delivered later than W signs out`() {
        var session = SessionOnServer(.plain)
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(1, branch: 1))
        #expect(session.refresh(session.token(0), after: .seconds(61)) == .ended(.reuse))
    }
}
