// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@Suite struct `The queue of the audit trail` {
    private func event(_ kind: AuditEvent.Kind, _ number: Int64 = 0) -> AuditEvent {
        AuditEvent(at: Timestamp(milliseconds: number), kind: kind)
    }

    @Test func `a full audit queue drops plain refreshes first, then other events, and never session ends`() {
        var queue = AuditQueue(capacity: 2)
        queue.add(event(.refresh))
        queue.add(event(.refresh))
        queue.add(event(.refresh))
        #expect(queue.dropped == AuditQueue.Dropped(plain: 1))
        queue.add(event(.login))
        #expect(queue.dropped.plain == 2)
        queue.add(event(.ended))
        queue.add(event(.loginRefused))
        #expect(queue.dropped.others == 1)
        queue.add(event(.ended))
        queue.add(event(.userDeleted))
        #expect(queue.take(10).map(\.kind) == [.login, .ended, .ended, .userDeleted])
        #expect(queue.count == 0)
    }

    @Test func `a full queue of audit events keeps the plain refreshes that came first`() {
        var queue = AuditQueue(capacity: 2)
        for number in 1...3 { queue.add(event(.refresh, Int64(number))) }
        #expect(queue.take(3) == [event(.refresh, 1), event(.refresh, 2)])
        #expect(queue.dropped == AuditQueue.Dropped(plain: 1))
    }

    @Test func `an audit queue returns important events first and accepts unwritten events again`() {
        var queue = AuditQueue(capacity: 10)
        for kind in [AuditEvent.Kind.refresh, .login, .confirm, .ended] { queue.add(event(kind)) }
        let first = queue.take(3)
        #expect(first.map(\.kind) == [.login, .ended, .refresh])
        queue.restore(first)
        #expect(queue.count == 4)
    }

    @Test func `a notable refresh is not a plain event`() {
        var lost = event(.refresh)
        lost.isNotable = true
        #expect(!lost.isPlain)
        #expect(event(.refresh).isPlain)
    }
}

@Suite struct `A session's timeline` {
    private let start = Timestamp(milliseconds: 1_000_000)

    private func row(_ reason: EndReason? = nil) -> SessionRow {
        var row = SessionRow.start(
            user: UUID(),
            mode: .intent,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: start
        )
        row.ending = reason.map { SessionRow.Ending(at: start + .seconds(600), reason: $0) }
        return row
    }

    private func event(
        _ kind: AuditEvent.Kind,
        after seconds: Int,
        _ outcome: String? = nil,
        generation: UInt64? = nil,
        source: String? = nil
    ) -> AuditEvent {
        var event = AuditEvent(at: start + .seconds(seconds), kind: kind)
        (event.outcome, event.generation, event.source) = (outcome, generation, source)
        event.isNotable = outcome == "fork"
        return event
    }

    @Test func `a timeline explains every reason of a session end`() {
        for reason in EndReason.allCases {
            let timeline = SessionTimeline(row(reason), events: [], now: start + .seconds(601))
            #expect(timeline.end == reason)
            #expect(timeline.endedAt == start + .seconds(600))
            #expect(timeline.why.hasSuffix("."))
            #expect(!timeline.why.contains("_"))
            #expect(timeline.entries.last?.text.hasPrefix("ended") == true)
            #expect(timeline.entries.last?.text.hasSuffix(reason.details.summary) == true)
        }
        #expect(Set(EndReason.allCases.map { SessionTimeline(row($0), events: [], now: start).why }).count > 9)
    }

    @Test func `a timeline explains a theft with its generation and the sources of the tokens`() {
        let events = [
            event(.login, after: 0, source: "192.0.2.1"),
            event(.refresh, after: 10, "bound", generation: 0, source: "192.0.2.1"),
            event(.refresh, after: 600, "fork", generation: 1, source: "203.0.113.9"),
            event(.ended, after: 600),
        ]
        let why = SessionTimeline(row(.fork), events: events, now: start + .seconds(700)).why
        #expect(why.contains("(generation 1)"))
        #expect(why.contains("203.0.113.9, 192.0.2.1"))
    }

    @Test func `a timeline names the session from which the user ended another session`() {
        let other = SessionID.random()
        var ended = event(.ended, after: 600)
        ended.by = other
        let timeline = SessionTimeline(row(.revokedByUser), events: [ended], now: start + .seconds(601))
        #expect(timeline.why == "The user ended this session from session \(other).")
    }

    @Test func `a timeline reports idle and absolute timeouts that are not stored`() {
        let idle = SessionTimeline(row(), events: [], now: start + .seconds(31 * 86_400))
        #expect(idle.end == .idleTimeout)
        #expect(idle.why == "It was unused for 30 days and reached its idle timeout.")
        #expect(SessionTimeline(row(), events: [], now: start + .seconds(200 * 86_400)).end == .absoluteTimeout)
        #expect(SessionTimeline(row(), events: [], now: start).end == nil)
    }

    @Test func `a timeline counts the refreshes of combined events and of the session row`() throws {
        var run = event(.refresh, after: 20, nil, generation: 2, source: "192.0.2.1")
        run.times = 3
        run.since = start + .seconds(10)
        let other = event(.refresh, after: 30, "proved", generation: 3, source: "192.0.2.1")
        let texts = SessionTimeline(row(), events: [other, run], now: start).entries.map(\.text)
        #expect(texts == ["signed in", "refreshed 4 times, last with generation 3"])
        var row = row()
        row.lastUsedAt = start + .seconds(50)
        row.run = RefreshStreak(
            since: start + .seconds(40),
            at: start + .seconds(45),
            times: 2,
            generation: 5,
            source: SourceAddress("192.0.2.1")
        )
        let timeline = SessionTimeline(row, events: [other, run], now: start)
        #expect(timeline.entries.map(\.text) == ["signed in", "refreshed 6 times, last with generation 5"])
        #expect(timeline.entries.last?.at == start + .seconds(45))
        row.run?.source = SourceAddress("192.0.2.2")
        let places = SessionTimeline(row, events: [other, run], now: start).entries.map(\.source)
        #expect(places.suffix(2) == ["192.0.2.1", "192.0.2.2"])
    }

    @Test func `the trail separates refused from served refreshes, and omits a forger's address`() {
        var events = [event(.refresh, after: 10, "bound", generation: 1, source: "a")]
        for (number, outcome) in ["elsewhere", "intent_required", "logout", "key_not_here_yet", "forged"].enumerated() {
            events.append(event(.refresh, after: 20 + number, outcome, generation: 9, source: outcome))
        }
        events.append(event(.refresh, after: 30, "fork", generation: 1, source: "b"))
        let timeline = SessionTimeline(row(.fork), events: events, now: start + .seconds(601))
        #expect(
            timeline.entries.map(\.text).filter { $0.hasPrefix("refreshed") } == ["refreshed, last with generation 1"]
        )
        #expect(timeline.entries.map(\.text).contains("refresh with generation 9: a token that this server never made"))
        #expect(timeline.why.contains("recently used from b, logout, intent_required."))
    }

    @Test func `a trail with a sign-in has no second one, and one without has it at the session's start`() {
        var login = event(.login, after: 1)
        login.client = "Notes 2.1"
        let signedIn = SessionTimeline(row(), events: [login], now: start).entries
        #expect(signedIn.map(\.text) == ["signed in (Notes 2.1)"])
        let without = SessionTimeline(row(), events: [event(.logout, after: 2, "logout")], now: start).entries
        #expect(without.map(\.at) == [start, start + .seconds(2)])
    }

    @Test func `an entry reports that a token's use was a theft, or that its session had ended`() {
        let theft = SessionTimeline.entry(event(.refresh, after: 1, "fork", generation: 1)).text
        #expect(theft.hasPrefix("refresh with generation 1: "))
        #expect(theft.hasSuffix(", which is a theft"))
        let over = SessionTimeline.entry(event(.refresh, after: 1, "logout")).text
        #expect(over.hasPrefix("refresh: the session was over ("))
    }

    @Test func `the entry of a session end names the session that caused the end`() {
        let other = SessionID.random()
        var ended = event(.ended, after: 1)
        ended.by = other
        #expect(SessionTimeline.entry(ended).text == "ended by session \(other)")
    }

    @Test func `the entry of a session end starts with ended and contains the reason`() {
        for (reason, text) in [
            (EndReason.logout, "ended: signed out on the device"), (.revokedByUser, "ended from another device"),
        ] {
            var ended = event(.ended, after: 1)
            ended.reason = reason
            #expect(SessionTimeline.entry(ended).text == text)
            let other = SessionID.random()
            ended.by = other
            #expect(SessionTimeline.entry(ended).text == "\(text) by session \(other)")
            #expect(SessionTimeline(row(reason), events: [], now: start + .seconds(601)).entries.last?.text == text)
        }
    }

    @Test func `a run of refreshes ends at another event`() {
        let events = [
            event(.refresh, after: 1, "bound", source: "a"), event(.refresh, after: 2, "bound", source: "a"),
            event(.report, after: 3, "noted"), event(.refresh, after: 4, "bound", source: "a"),
        ]
        let texts = SessionTimeline(row(), events: events, now: start).entries.map(\.text)
        #expect(texts == ["signed in", "refreshed 2 times", "report: noted", "refreshed"])
    }

    @Test func `an idle time is in days from two days, and in hours from two hours`() {
        for (seconds, text) in [(172_800, "2 days"), (172_799, "47 hours"), (7200, "2 hours"), (7199, "7199 seconds")] {
            var row = row()
            row.idleExpiry = row.lastUsedAt + .seconds(seconds)
            let why = SessionTimeline(row, events: [], now: row.idleExpiry).why
            #expect(why == "It was unused for \(text) and reached its idle timeout.")
        }
    }

    @Test func `a trail with an end has no second one`() {
        let timeline = SessionTimeline(row(.logout), events: [event(.ended, after: 600)], now: start + .seconds(601))
        #expect(timeline.entries.map(\.text) == ["signed in", "ended"])
    }

    @Test func `the trail shows confirmations that were refused or have a finding`() {
        var notable = event(.confirm, after: 3, "noted")
        notable.isNotable = true
        let events = [event(.confirm, after: 1, "noted"), event(.confirm, after: 2, "forged"), notable]
        let others = [event(.report, after: 4, "noted")]
        let times = SessionTimeline(row(), events: events + others, now: start).entries.map { $0.at - start }
        #expect(times == [.zero, .seconds(2), .seconds(3), .seconds(4)])
    }

    @Test func `at most the last three addresses of a theft are named, each once`() {
        var events = (1...5).map { event(.refresh, after: $0, "bound", source: "192.0.2.\($0)") }
        events.append(event(.refresh, after: 6, "bound", source: "192.0.2.5"))
        events.append(event(.ended, after: 7, source: "198.51.100.1"))
        let why = SessionTimeline(row(.fork), events: events, now: start + .seconds(601)).why
        #expect(why.contains("192.0.2.5, 192.0.2.4, 192.0.2.3."))
        let one = SessionTimeline(row(.fork), events: [events[0]], now: start + .seconds(601)).why
        #expect(!one.contains("192.0.2.1"))
    }

    @Test func `a timeline has one entry for a run of refreshes and omits confirmations`() {
        var events: [AuditEvent] = []
        for number in 0..<5 {
            events.append(event(.refresh, after: number * 10, "proved", generation: UInt64(number), source: "a"))
            events.append(event(.confirm, after: number * 10 + 1, "noted", generation: UInt64(number + 1)))
        }
        events.append(event(.refresh, after: 100, "proved", generation: 5, source: "b"))
        let texts = SessionTimeline(row(), events: events.shuffled(), now: start).entries.map(\.text)
        #expect(
            texts == ["signed in", "refreshed 5 times, last with generation 4", "refreshed, last with generation 5"]
        )
    }
}
