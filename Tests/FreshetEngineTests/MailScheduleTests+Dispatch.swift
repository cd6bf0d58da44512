// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

extension `A mail schedule` {
    /// Starts deliveries until none may start, and returns their number.
    private func started(_ schedule: inout MailSchedule) -> Int {
        var count = 0
        while case .deliver = schedule.next(now: .zero) { count += 1 }
        return count
    }

    /// Adds a mail whose first attempt is deferred.
    private func deferred(_ entry: MailEntry, in schedule: inout MailSchedule) throws -> MailSchedule.DeliveryResult {
        try add(entry, to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(entry.id))
        return schedule.finish(entry.id, .deferred, now: .zero)
    }

    // MARK: - Outcomes

    @Test func `results of an attempt differ by the removed mails, the causes, and whether the mail is kept`() {
        let (first, second) = (Self.id(1), Self.id(2))
        let results: [MailSchedule.DeliveryResult] = [
            .init(), .init(isKept: true), .init(dropped: [(first, .expired)]), .init(dropped: [(second, .expired)]),
            .init(dropped: [(first, .refused)]), .init(dropped: [(first, .expired)], isKept: true),
        ]
        for (row, left) in results.enumerated() {
            for (column, right) in results.enumerated() { #expect((left == right) == (row == column)) }
        }
    }

    @Test(arguments: [MailOutcome.delivered, .discarded, .refused])
    func `a mail that was delivered, discarded or refused is removed`(outcome: MailOutcome) throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        #expect(!schedule.finish(Self.id(1), outcome, now: .zero).isKept)
        #expect(!schedule.contains(Self.id(1)))
        #expect(schedule.isDrained)
    }

    @Test func `a deferred mail that a newer one superseded during its attempt is removed`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, topic: "login ann"), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        try add(entry(2, topic: "login ann"), to: &schedule)
        _ = schedule.finish(Self.id(1), .deferred, now: .zero)
        #expect(!schedule.contains(Self.id(1)))
        #expect((schedule.waiting, schedule.deferred, schedule.inFlight) == (1, 0, 0))
    }

    @Test func `an outcome of a mail that is not being delivered changes nothing`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        for outcome in [MailOutcome.relayRefused, .relayUnavailable, .deferred, .refused, .discarded, .delivered] {
            #expect(schedule.finish(Self.id(1), outcome, now: .zero) == .init())
            #expect((schedule.waiting, schedule.deferred, schedule.inFlight) == (1, 0, 0))
            #expect(schedule.isRelayAvailable)
        }
        #expect(order(&schedule) == [1])
    }

    // MARK: - Deferrals

    @Test func `a mail is deferred only if its retry is due before its expiry`() throws {
        for (expiresAt, isKept) in [(Duration.seconds(5), false), (.milliseconds(5001), true)] {
            var schedule = MailSchedule(limits)
            let result = try deferred(entry(1, expiresAt: expiresAt), in: &schedule)
            #expect(result == .init(dropped: isKept ? [] : [(Self.id(1), .expired)], isKept: isKept))
            #expect(schedule.contains(Self.id(1)) == isKept)
        }
    }

    @Test func `the pause after a deferral grows to half an hour and stays there`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, expiresAt: .seconds(86_400)), to: &schedule)
        var (now, pauses) = (Duration.zero, [Int]())
        for _ in 1...10 {
            #expect(schedule.next(now: now) == .deliver(Self.id(1)))
            #expect(schedule.finish(Self.id(1), .deferred, now: now).isKept)
            let until = try #require(schedule.next(now: now).pauseEnd)
            pauses.append((until - now).wholeSeconds)
            now = until
        }
        #expect(pauses == [5, 15, 45, 120, 300, 600, 1200, 1800, 1800, 1800])
    }

    @Test
    func
        `a domain with too many deferred mails loses its own oldest one, although a source has more of them elsewhere`()
        throws
    {
        var limits = limits
        limits.perDomain = 2
        var schedule = MailSchedule(limits)
        for number in 1...3 {
            let kept = try deferred(entry(number, from: 1, to: "\(number).example"), in: &schedule)
            #expect(kept == .init(isKept: true))
        }
        for number in 4...5 {
            let kept = try deferred(entry(number, from: number, to: "slow.example"), in: &schedule)
            #expect(kept == .init(isKept: true))
        }
        let result = try deferred(entry(6, from: 6, to: "slow.example"), in: &schedule)
        #expect(result == .init(dropped: [(Self.id(4), .noRoom)], isKept: true))
    }

    @Test func `too many deferred mails in total remove one of the source with most of them, in any domain`() throws {
        var limits = limits
        limits.capacity = 4
        var schedule = MailSchedule(limits)
        for number in 1...3 { _ = try deferred(entry(number, from: 1, to: "a.example"), in: &schedule) }
        #expect(try deferred(entry(4, from: 2, to: "b.example"), in: &schedule) == .init(isKept: true))
        let result = try deferred(entry(5, from: 3, to: "b.example"), in: &schedule)
        #expect(result == .init(dropped: [(Self.id(1), .noRoom)], isKept: true))
    }

    @Test func `a retry that found the relay unavailable is still a deferred mail, which waits for new mail`() throws {
        var limits = limits
        limits.connections = 1
        var schedule = MailSchedule(limits)
        #expect(try deferred(entry(1), in: &schedule).isKept)
        #expect(schedule.next(now: .seconds(5)) == .deliver(Self.id(1)))
        #expect(schedule.finish(Self.id(1), .relayUnavailable, now: .seconds(5)).isKept)
        #expect((schedule.waiting, schedule.deferred) == (0, 1))
        try add(entry(2, priority: .notification), to: &schedule, now: .seconds(5))
        #expect(order(&schedule, now: .seconds(6)) == [2, 1])
    }

    // MARK: - Connections

    @Test(arguments: [(1, [2, 1]), (2, [1, 2]), (3, [1, 2])])
    func `a single connection is for new mail first, of several one is for a due retry`(
        connections: Int,
        order: [Int]
    ) throws {
        var limits = limits
        limits.connections = connections
        var schedule = MailSchedule(limits)
        #expect(try deferred(entry(1, from: 1), in: &schedule).isKept)
        try add(entry(2, from: 2), to: &schedule)
        #expect(self.order(&schedule, now: .seconds(5)) == order)
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)])
    func `a source and a domain have at most half of the connections each, and at least one`(
        connections: Int,
        share: Int
    ) throws {
        var limits = limits
        limits.connections = connections
        var (sources, domains) = (MailSchedule(limits), MailSchedule(limits))
        for number in 1...6 {
            try add(entry(number, from: 1, to: "\(number).example"), to: &sources)
            try add(entry(number, from: number), to: &domains)
        }
        #expect(started(&sources) == share)
        #expect(started(&domains) == share)
        // The others are for mail of other sources and to other domains.
        for number in 11...16 {
            try add(entry(number, from: number, to: "\(number).example"), to: &sources)
            try add(entry(number, from: number, to: "\(number).example"), to: &domains)
        }
        #expect(started(&sources) == connections - share)
        #expect(started(&domains) == connections - share)
    }

    // MARK: - Turns

    @Test func `a source or domain whose last mail was delivered goes first with its next mail`() throws {
        for isSource in [true, false] {
            var schedule = MailSchedule(limits)
            func add(_ number: Int, _ part: Int) throws {
                let entry = try isSource ? entry(number, from: part) : entry(number, to: "\(part).example")
                try self.add(entry, to: &schedule)
            }
            try add(1, 1)
            try add(2, 2)
            try add(3, 2)
            for number in [3, 1] {
                #expect(schedule.next(now: .zero) == .deliver(Self.id(number)))
                #expect(schedule.finish(Self.id(number), .delivered, now: .zero) == .init())
            }
            try add(4, 1)
            #expect(order(&schedule) == [4, 2])
        }
    }

    @Test func `a source whose share is in use by a delivered mail keeps its turn until the share expires`() throws {
        for (now, expected) in [(Duration.seconds(99), [2, 4]), (.seconds(100), [4, 2])] {
            var schedule = MailSchedule(limits)
            try add(entry(1, from: 1, keepsShare: true, expiresAt: .seconds(100)), to: &schedule)
            for number in 2...3 { try add(entry(number, from: 2), to: &schedule) }
            for number in [3, 1] {
                #expect(schedule.next(now: .zero) == .deliver(Self.id(number)))
                #expect(schedule.finish(Self.id(number), .delivered, now: .zero) == .init())
            }
            try add(entry(4, from: 1), to: &schedule, now: now)
            #expect(order(&schedule, now: now) == expected)
        }
    }

    @Test func `a source that has mail keeps its turn when a share of it expires`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, from: 1), to: &schedule)
        try add(entry(2, from: 1, keepsShare: true, expiresAt: .seconds(100)), to: &schedule)
        for number in 3...4 { try add(entry(number, from: 2), to: &schedule) }
        for number in [4, 2] {
            #expect(schedule.next(now: .zero) == .deliver(Self.id(number)))
            #expect(schedule.finish(Self.id(number), .delivered, now: .zero) == .init())
        }
        // A reservation releases the expired share.
        try schedule.reserve(entry(5, from: 3), now: .seconds(100))
        schedule.cancel(Self.id(5))
        #expect(order(&schedule, now: .seconds(100)) == [3, 1])
    }
}
