// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `A run of refreshes` {
    private let home = SourceAddress("192.0.2.1")
    private let abroad = SourceAddress("2001:db8::7")

    /// A session that was refreshed three times from home, each time with the token it got.
    private func used() -> ServerSession {
        var session = ServerSession()
        session.source = home
        for generation in 0..<3 as Range<UInt64> {
            let answer = session.refresh(session.token(generation), .numbered(UInt8(generation)), after: .seconds(3600))
            #expect(answer.isOrdinary)
        }
        return session
    }

    @Test func `a streak is in the session's row, and only there, while it continues`() {
        let session = used()
        let since = session.row.createdAt + .seconds(3600)
        #expect(session.row.run == RefreshStreak(since: since, at: session.now, times: 3, generation: 2, source: home))
        #expect(session.row.lastUsedAt == session.now)
        #expect(session.trail.isEmpty)
    }

    @Test func `a refresh from another address records the previous streak in the audit trail`() throws {
        var session = used()
        let last = session.now
        session.source = abroad
        _ = session.refresh(session.token(3), .owner, after: .seconds(60))
        let event = try #require(session.trail.first)
        #expect(session.trail.count == 1 && event.kind == .refresh && event.isPlain)
        #expect(event.at == last && event.since == last + .seconds(-7200) && event.times == 3)
        #expect(event.generation == 2 && event.source == "192.0.2.1")
        #expect(event.session == session.row.id && event.user == session.row.user)
        #expect(session.row.run == RefreshStreak(since: session.now, at: session.now, generation: 3, source: abroad))
        session.source = nil
        _ = session.refresh(session.token(4), .owner)
        #expect(session.trail.map(\.source) == ["192.0.2.1", "2001:db8::7"])
        #expect(session.trail.last?.times == 1 && session.trail.last?.since == nil)
    }

    @Test func `a refresh streak ends after a day, or when the clock is set back by a minute`() {
        var session = used()
        let begin = session.now + .seconds(-7200)
        _ = session.refresh(session.token(3), .owner, after: .seconds(86_399 - 7200))
        #expect(session.trail.isEmpty && session.row.run?.since == begin)
        _ = session.refresh(session.token(4), .owner, after: .seconds(1))
        #expect(session.trail.map(\.times) == [4])
        let now = session.now
        _ = session.refresh(session.token(5), .owner, after: .seconds(-59))
        #expect(session.trail.map(\.times) == [4] && session.row.run?.at == now)
        _ = session.refresh(session.token(6), .owner, after: .seconds(-1))
        #expect(session.trail.map(\.times) == [4, 2])
    }

    @Test func `a refresh that shows lost commits ends and records the refresh streak`() {
        var session = used()
        let answer = session.refresh(session.token(5), .owner)
        #expect(!answer.isOrdinary && answer.handedOut == [6, 0])
        #expect(session.row.run == nil && session.trail.map(\.times) == [3])
    }

    @Test func `a quick repeated refresh is not counted in the streak, unless it is from another address`() {
        var session = used()
        let repeated = session.token(2)
        let before = session.row
        #expect(session.refresh(repeated, .numbered(2), after: .seconds(1)).isOrdinary)
        #expect(session.row == before)
        session.source = abroad
        #expect(session.refresh(repeated, .numbered(2), after: .seconds(1)).isOrdinary)
        #expect(session.row.run == RefreshStreak(since: session.now, at: session.now, generation: 2, source: abroad))
        #expect(session.row.lastUsedAt == before.lastUsedAt && session.row.idleExpiry == before.idleExpiry)
        #expect(session.row.rotation == before.rotation && session.trail.count == 1)
        // After a while a repeat extends the idle expiry, wherever it came from, and is counted with it.
        session.source = home
        #expect(session.refresh(repeated, .numbered(2), after: .seconds(30)).isOrdinary)
        session.source = abroad
        #expect(session.refresh(repeated, .numbered(2), after: .seconds(30)).isOrdinary)
        #expect(session.trail.count == 3 && session.row.idleExpiry > before.idleExpiry)
        #expect(session.refresh(repeated, .numbered(2), after: .seconds(60)).isOrdinary)
        #expect(session.row.run?.times == 2)
    }

    @Test func `a request that refreshes no token leaves the refresh streak unchanged`() {
        var session = used()
        let run = session.row.run
        #expect(session.confirm(session.token(3)) == .recorded && session.row.run == run)
        #expect(session.refresh(session.token(0), .owner) == .superseded && session.row.run == run)
        #expect(session.refresh(session.token(3)) == .refused(.intentRequired) && session.row.run == run)
        #expect(session.refresh(session.token(3), .owner).isOrdinary && session.row.run?.times == 4)
        session.source = abroad
        #expect(session.refresh(session.token(3), .thief) == .ended(.fork))
        #expect(session.row.run?.source == home && session.row.run?.times == 4 && session.trail.isEmpty)
        let timeline = SessionTimeline(session.row, events: [], now: session.now)
        #expect(timeline.entries.map(\.text).contains("refreshed 4 times, last with generation 3"))
    }

    @Test func `refreshes in plain and static mode are counted in the refresh streak`() {
        var plain = ServerSession(.plain, contract: "x")
        _ = plain.refresh(plain.token(0))
        _ = plain.refresh(plain.token(1, branch: 1), after: .seconds(61))
        // The answer was lost: a sibling.
        _ = plain.refresh(plain.token(1, branch: 1), after: .seconds(61))
        #expect(plain.row.run?.times == 3 && plain.row.run?.generation == 1)
        var fixed = ServerSession(.static, contract: "x")
        _ = fixed.refresh(fixed.token(0))
        _ = fixed.refresh(fixed.token(0), after: .seconds(5))
        #expect(fixed.row.run?.times == 2 && fixed.trail.isEmpty)
    }
}
