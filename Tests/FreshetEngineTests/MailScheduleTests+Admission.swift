// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

extension `A mail schedule` {
    @Test func `a source or domain whose limit is one mail has one, and a queue for two mails has one notice`() throws {
        var limits = limits
        (limits.perSource, limits.perDomain, limits.capacity) = (1, 512, 1024)
        var schedule = MailSchedule(limits)
        try schedule.reserve(entry(1, from: 1), now: .zero)
        #expect(throws: MailRefusal.source) { try schedule.reserve(entry(2, from: 1), now: .zero) }
        (limits.perSource, limits.perDomain) = (64, 1)
        schedule = MailSchedule(limits)
        try schedule.reserve(entry(1, to: "a.example"), now: .zero)
        #expect(throws: MailRefusal.domain) { try schedule.reserve(entry(2, to: "a.example"), now: .zero) }
        for capacity in 1...2 {
            (limits.perDomain, limits.capacity) = (512, capacity)
            schedule = MailSchedule(limits)
            try schedule.reserve(entry(1, priority: .notification), now: .zero)
            #expect(throws: MailRefusal.full) {
                try schedule.reserve(entry(2, priority: .notification), now: .zero)
            }
        }
        try schedule.reserve(entry(3), now: .zero)
        #expect(throws: MailRefusal.full) { try schedule.reserve(entry(4), now: .zero) }
    }

    @Test func `each share that expires makes room for one mail of its source`() throws {
        var limits = limits
        limits.perSource = 2
        var schedule = MailSchedule(limits)
        try add(entry(1, from: 1, keepsShare: true, expiresAt: .seconds(200)), to: &schedule)
        try add(entry(2, from: 1, keepsShare: true, expiresAt: .seconds(100)), to: &schedule)
        #expect(order(&schedule) == [2, 1])
        try schedule.reserve(entry(3, from: 1), now: .seconds(100))
        #expect(throws: MailRefusal.source) { try schedule.reserve(entry(4, from: 1), now: .seconds(100)) }
        try schedule.reserve(entry(4, from: 1), now: .seconds(200))
        #expect(throws: MailRefusal.source) { try schedule.reserve(entry(5, from: 1), now: .seconds(200)) }
    }

    @Test func `a charge beyond the 65,536 of removed mails releases the share of the oldest one`() throws {
        var limits = limits
        (limits.capacity, limits.perDomain, limits.perSource) = (65_537, 65_537, 65_537)
        var schedule = MailSchedule(limits)
        var entry = try entry(0, from: 1, keepsShare: true)
        for number in 1...65_537 {
            entry.id = Self.id(number)
            try add(entry, to: &schedule)
        }
        let removed = schedule.retainOnly { _ in false }
        #expect(removed.count == 65_537)
        // All but one of the mails still count towards the source's share.
        try schedule.reserve(entry, now: .zero)
        entry.id = Self.id(0)
        #expect(throws: MailRefusal.source) { try schedule.reserve(entry, now: .zero) }
    }

    @Test func `a mail has no topic and keeps no share by default`() {
        let entry = MailEntry(
            id: Self.id(1),
            priority: .code,
            source: .unattributed,
            domain: "example.com",
            expiresAt: Self.lifetime
        )
        #expect(entry.topic == nil)
        #expect(!entry.keepsShare)
    }

    @Test func `an empty queue accepts a mail at the end of the pause after the relay refused all`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, expiresAt: .milliseconds(500)), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        #expect(schedule.finish(Self.id(1), .relayRefused, now: .zero).isKept)
        #expect(schedule.expire(now: .milliseconds(500)) == [Self.id(1)])
        #expect(throws: MailRefusal.relay) { try schedule.reserve(entry(2), now: .milliseconds(999)) }
        try schedule.reserve(entry(2), now: .seconds(1))
    }

    @Test func `a relay that refused all mail and is then unreachable still gets no more mail`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        for (now, outcome) in [(Duration.zero, MailOutcome.relayRefused), (.seconds(1), .relayUnavailable)] {
            #expect(schedule.next(now: now) == .deliver(Self.id(1)))
            #expect(schedule.finish(Self.id(1), outcome, now: now).isKept)
            #expect(throws: MailRefusal.relay) { try schedule.reserve(entry(2), now: now) }
        }
    }

    @Test func `a mail that is being delivered is not made ready again`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        #expect(schedule.enqueue(Self.id(1)) == [])
        #expect(schedule.next(now: .zero) == .wait(until: nil))
        #expect((schedule.waiting, schedule.inFlight) == (0, 1))
    }

    @Test func `a superseded mail is removed`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, topic: "login ann"), to: &schedule)
        try schedule.reserve(entry(2, topic: "login ann"), now: .zero)
        #expect(schedule.contains(Self.id(1)))
        #expect(schedule.enqueue(Self.id(2)) == [Self.id(1)])
        #expect(!schedule.contains(Self.id(1)))
        #expect(schedule.waiting == 1)
    }

    @Test func `stored mails are restored as far as there is room for deferred mail`() throws {
        var limits = limits
        limits.capacity = 2
        var schedule = MailSchedule(limits)
        for number in 1...2 {
            #expect(schedule.canRestore)
            #expect(schedule.restore(try entry(number), now: .zero) == [])
        }
        #expect(!schedule.canRestore)
    }

    @Test func `a stored mail that is in the queue is not restored`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        #expect(schedule.restore(try entry(1), now: .zero) == [])
        #expect((schedule.waiting, schedule.deferred) == (1, 0))
    }

    @Test func `a stored mail supersedes no mail of another topic or without a topic`() throws {
        var schedule = MailSchedule(limits)
        for (number, topic) in [(1, "login ann"), (2, "login bob"), (3, nil), (4, nil), (5, "login eve")] {
            let entry = try entry(number, topic: topic, expiresAt: .seconds(100 * number))
            #expect(schedule.restore(entry, now: .zero) == [])
        }
        #expect(schedule.deferred == 5)
    }

    @Test func `the first of two stored mails with the same topic and expiry is kept`() throws {
        var schedule = MailSchedule(limits)
        #expect(schedule.restore(try entry(1, topic: "login ann"), now: .zero) == [])
        #expect(schedule.restore(try entry(2, topic: "login ann"), now: .zero) == [Self.id(2)])
        #expect(schedule.contains(Self.id(1)) && !schedule.contains(Self.id(2)))
    }

    @Test func `a mail that is being delivered is neither a waiting nor a deferred one`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        _ = schedule.finish(Self.id(1), .deferred, now: .zero)
        for number in 2...3 { try add(entry(number), to: &schedule) }
        #expect((schedule.waiting, schedule.deferred, schedule.inFlight) == (2, 1, 0))
        #expect(schedule.next(now: .seconds(5)) == .deliver(Self.id(1)))
        #expect((schedule.waiting, schedule.deferred, schedule.inFlight) == (2, 0, 1))
        #expect(schedule.next(now: .seconds(5)) == .deliver(Self.id(3)))
        #expect((schedule.waiting, schedule.deferred, schedule.inFlight) == (1, 0, 2))
    }

    @Test func `a loopback address and a missing one have no share of their own`() {
        for text in ["127.0.0.1", "::1"] {
            #expect(MailEntry.Source(SourceAddress(text)) == .unattributed)
        }
        #expect(MailEntry.Source(nil) == .unattributed)
        #expect(Self.network(1) != .unattributed)
    }
}
