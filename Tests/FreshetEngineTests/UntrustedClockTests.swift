// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

/// The policies' decisions while the clock is not trusted.
@Suite struct `An untrusted clock` {
    private static let day = Duration.seconds(86_400)

    /// A session on a server whose clock is not trusted.
    private func session(_ mode: RotationState.Mode = .intent, contract: String? = nil) -> ServerSession {
        var session = ServerSession(mode, contract: contract)
        session.policy.isClockTrusted = false
        return session
    }

    @Test(arguments: [1, 10])
    func `an expired session is neither ended nor refreshed while the clock is untrusted`(days: Int) {
        var session = session()
        let row = session.row
        #expect(session.refresh(session.token(0), .owner, after: Self.day * days) == .refused(.clockNotTrusted))
        #expect(session.confirm(session.token(1)) == .refused(.clockNotTrusted))
        #expect(session.report(session.token(0)) == .refused(.clockNotTrusted))
        #expect(session.row == row)
        session.policy.isClockTrusted = true
        let reason: EndReason = days == 1 ? .idleTimeout : .absoluteTimeout
        #expect(session.refresh(session.token(0), .owner) == .ended(reason))
    }

    @Test func `a fork ends a session despite an untrusted clock, and the session stays ended`() {
        var session = session()
        #expect(session.refresh(session.token(0), .owner).handedOut == [1, 0])
        #expect(session.refresh(session.token(0), .thief) == .ended(.fork))
        #expect(session.refresh(session.token(0), .owner, after: Self.day * 40) == .ended(.fork))
    }

    @Test func `a logout ends a session that has expired by an untrusted clock`() {
        var session = session()
        session.now = session.now + Self.day * 40
        #expect(session.logout(session.token(0)) == .recorded)
        #expect(session.row.ending?.reason == .logout)
    }

    @Test func `a late token in plain mode is not reuse on an untrusted clock, and no sibling is issued`() {
        var session = session(.plain, contract: "app")
        #expect(session.refresh(session.token(0)).handedOut == [1, 1])
        // The answer may still be under way, whatever the clock says.
        #expect(session.refresh(session.token(0), after: .seconds(3600)).handedOut == [1, 1])
        #expect(session.refresh(session.token(1, branch: 1)).handedOut == [2, 1])
        #expect(session.refresh(session.token(0), after: .seconds(3600)) == .refused(.clockNotTrusted))
        #expect(session.row.ending == nil)
        session.policy.isClockTrusted = true
        #expect(session.refresh(session.token(0)) == .ended(.reuse))
    }

    /// A clock that was behind, and has just been set right, makes a change of the last second appear old.
    @Test func `a server whose clock has just become trusted issues no sibling and ends no plain session`() {
        var session = ServerSession(.plain, contract: "app")
        session.policy.isWindowTrusted = false
        #expect(session.refresh(session.token(0)).handedOut == [1, 1])
        #expect(session.refresh(session.token(0), after: .seconds(3600)).handedOut == [1, 1])
        #expect(session.refresh(session.token(1, branch: 1)).handedOut == [2, 1])
        #expect(session.refresh(session.token(0), after: .seconds(3600)) == .refused(.clockNotTrusted))
        session.policy.isWindowTrusted = true
        #expect(session.refresh(session.token(0)) == .ended(.reuse))
    }

    /// Two servers' clocks may differ by less than the window.
    @Test(arguments: [(-30, false), (-59, false), (-60, true), (-90, true), (-20 * 86_400, true)])
    func `a change in the future is recent only if two clocks may differ by as much`(seconds: Int, isOver: Bool) {
        var plain = ServerSession(.plain, contract: "app")
        #expect(plain.refresh(plain.token(0)).handedOut == [1, 1])
        #expect(plain.refresh(plain.token(1, branch: 1)).handedOut == [2, 1])
        plain.now = plain.now + .seconds(seconds)
        #expect(plain.refresh(plain.token(0)) == (isOver ? .ended(.reuse) : .superseded))

        // A thief has bound the token of a client that sends no intents.
        var stolen = ServerSession(.plain, contract: "app")
        #expect(stolen.refresh(stolen.token(0), .thief).handedOut == [1, 0])
        #expect(stolen.refresh(stolen.token(1), .thief).handedOut != nil)
        stolen.now = stolen.now + .seconds(seconds)
        #expect(stolen.refresh(stolen.token(0)) == (isOver ? .ended(.fork) : .superseded))
    }

    @Test func `an untrusted clock does not reduce the idle expiry, which counts from the latest possible time`() {
        var session = session()
        let before = session.row.idleExpiry
        session.now = session.now + Self.day * -3
        #expect(session.refresh(session.token(0), .owner).handedOut == [1, 0])
        #expect(session.row.idleExpiry == before)
        session.policy.clockUncertainty = Self.day * 5
        #expect(session.refresh(session.token(1), .owner).handedOut == [2, 0])
        #expect(session.row.idleExpiry == session.now + Self.day * 6)
        session.policy.clockUncertainty = Self.day * 4000
        #expect(session.refresh(session.token(2), .owner).handedOut == [3, 0])
        #expect(session.row.idleExpiry == session.row.absoluteExpiry)
        // The next refresh on a trusted clock takes the uncertainty out again.
        session.policy.isClockTrusted = true
        session.policy.clockUncertainty = .zero
        #expect(session.refresh(session.token(3), .owner).handedOut == [4, 0])
        #expect(session.row.idleExpiry == session.now + Self.day)
    }

    @Test func `an expired code is undecided on an untrusted clock, right or wrong, and is not counted`() throws {
        let now = Timestamp(milliseconds: 1_000_000)
        let email = try #require(EmailAddress("ann@example.com"))
        let row = CodeAttemptRow(id: "a", email: email, codeHash: [1], expiresAt: now)
        let reading = ClockReading(now: now, isTrusted: false, earliest: now, latest: now)
        for hash: [UInt8] in [[1], [2]] {
            #expect(CodePolicy().verify(row, codeHash: hash, intent: nil, at: reading) == .undecided)
            #expect(CodePolicy().verify(row, codeHash: hash, intent: nil, at: .trusted(now)) == .refused(nil))
        }
        var used = row
        used.failures = CodePolicy().maximumFailures
        #expect(CodePolicy().verify(used, codeHash: [1], intent: nil, at: reading) == .refused(nil))
    }

    @Test func `a bucket that a wrong clock wrote counts as empty and fills up again`() {
        let limit = RateLimit(capacity: 3, interval: .seconds(60))
        let now = Timestamp(milliseconds: 1_000_000)
        let key = Bits128(1, 1)
        var table = TokenBucketTable()
        table.merge(TokenBucket(fullAt: now + Self.day * 40), into: key, nil, now: now)
        #expect(table.take([(key, limit)], now: now) == .seconds(60))
        #expect(table.take([(key, limit)], now: now + .seconds(59)) == .seconds(1))
        #expect(table.take([(key, limit)], now: now + .seconds(60)) == nil)
    }

    @Test func `an expired session is neither authorized nor finally refused while the clock is untrusted`() {
        let account = SessionRequirement.Account(isDisabled: false, passwordHash: nil)
        var row = session().row
        let now = row.absoluteExpiry
        let untrusted = ClockReading(now: now, isTrusted: false, earliest: now, latest: now)
        #expect(SessionRequirement.alive.refusal(of: row, account, at: untrusted) == .clockNotTrusted)
        #expect(SessionRequirement.alive.refusal(of: row, account, at: .trusted(now)) == .sessionOver(.absoluteTimeout))
        row.ending = SessionRow.Ending(at: now, reason: .logout)
        #expect(SessionRequirement.alive.refusal(of: row, account, at: untrusted) == .sessionOver(.logout))
    }

    @Test func `a sign-in dated in the future beyond the clock tolerance is not fresh`() {
        let now = Timestamp(milliseconds: 1_000_000)
        let span = Duration.seconds(300)
        #expect(SessionRequirement.isFresh(now + ClockTrust.tolerance, within: span, at: now))
        #expect(!SessionRequirement.isFresh(now + ClockTrust.tolerance + .seconds(1), within: span, at: now))
        #expect(!SessionRequirement.isFresh(now + .seconds(-301), within: span, at: now))
    }
}
