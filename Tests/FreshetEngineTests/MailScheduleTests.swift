// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

/// The decisions about queued mail, without a relay and without a clock.
struct `A mail schedule` {
    static let lifetime = Duration.seconds(600)
    var limits = MailLimits()

    static func id(_ number: Int) -> Bits128 { Bits128(UInt64(number), 0) }

    static func network(_ last: Int) -> MailEntry.Source {
        MailEntry.Source(SourceAddress("192.0.2.\(last)"))
    }

    func entry(
        _ number: Int,
        from source: Int? = nil,
        to domain: String = "example.com",
        priority: MailEntry.Priority = .code,
        topic: String? = nil,
        keepsShare: Bool = false,
        expiresAt: Duration = lifetime
    ) throws -> MailEntry {
        MailEntry(
            id: Self.id(number),
            priority: priority,
            source: source.map { Self.network($0) } ?? .unattributed,
            domain: domain,
            topic: topic,
            keepsShare: keepsShare,
            expiresAt: expiresAt
        )
    }

    func add(_ entry: MailEntry, to schedule: inout MailSchedule, now: Duration = .zero) throws {
        try schedule.reserve(entry, now: now)
        _ = schedule.enqueue(entry.id)
    }

    /// Delivers everything, and returns the order.
    func order(_ schedule: inout MailSchedule, now: Duration = .zero) -> [Int] {
        var order: [Int] = []
        while case .deliver(let id) = schedule.next(now: now) {
            order.append(Int(id.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }))
            _ = schedule.finish(id, .delivered, now: now)
        }
        return order
    }

    @Test func `sources take turns, and then domains, regardless of how many mails each of them has`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...3 { try add(entry(number, from: 1), to: &schedule) }
        try add(entry(4, from: 2), to: &schedule)
        for number in 5...6 { try add(entry(number, to: "a.example"), to: &schedule) }
        try add(entry(7, to: "b.example"), to: &schedule)
        // Newest first within a source and domain; 7, 6 and 5 are of unattributed clients, who take turns by domain.
        #expect(order(&schedule) == [7, 4, 3, 6, 2, 5, 1])
    }

    @Test func `a delivered mail makes an unreachable relay available, and other mails follow immediately`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...3 { try add(entry(number), to: &schedule) }
        #expect(schedule.next(now: .zero) == .deliver(Self.id(3)))
        #expect(schedule.finish(Self.id(3), .relayUnavailable, now: .zero).isKept)
        #expect(!schedule.isRelayAvailable)
        #expect(schedule.next(now: .milliseconds(999)) == .wait(until: .seconds(1)))
        #expect(schedule.next(now: .seconds(1)) == .deliver(Self.id(2)))
        #expect(schedule.next(now: .seconds(1)) == .wait(until: nil))
        #expect(schedule.finish(Self.id(2), .delivered, now: .seconds(1)) == .init())
        #expect(schedule.isRelayAvailable)
        #expect(schedule.next(now: .seconds(1)) == .deliver(Self.id(1)))
        #expect(schedule.next(now: .seconds(1)) == .deliver(Self.id(3)))
    }

    @Test func `a deferral and a refusal of one mail make an unreachable relay available`() throws {
        for outcome in [MailOutcome.deferred, .refused] {
            var schedule = MailSchedule(limits)
            for number in 1...2 { try add(entry(number), to: &schedule) }
            #expect(schedule.next(now: .zero) == .deliver(Self.id(2)))
            #expect(schedule.finish(Self.id(2), .relayUnavailable, now: .zero).isKept)
            #expect(schedule.next(now: .seconds(1)) == .deliver(Self.id(1)))
            _ = schedule.finish(Self.id(1), outcome, now: .seconds(1))
            #expect(schedule.isRelayAvailable)
            #expect(schedule.next(now: .seconds(1)) == .deliver(Self.id(2)))
        }
    }

    @Test func `deferred mails to several domains have at most half of the connections`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...4 { try add(entry(number, to: "\(number).example"), to: &schedule) }
        for _ in 1...4 {
            guard case .deliver(let id) = schedule.next(now: .zero) else { break }
            #expect(schedule.finish(id, .deferred, now: .zero).isKept)
        }
        #expect(schedule.deferred == 4)
        for _ in 1...2 {
            guard case .deliver = schedule.next(now: .seconds(5)) else {
                Issue.record("a deferred mail is due")
                return
            }
        }
        #expect(schedule.next(now: .seconds(5)) == .wait(until: Self.lifetime))
        try add(entry(5, to: "5.example"), to: &schedule)
        #expect(schedule.next(now: .seconds(5)) == .deliver(Self.id(5)))
    }

    @Test func `domains keep their turns while they have mail`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...5 { try add(entry(number, to: number < 4 ? "a.example" : "b.example"), to: &schedule) }
        #expect(order(&schedule) == [5, 3, 4, 2, 1])
    }

    @Test func `a deferral without room removes the oldest deferred mail, not an older one that waits`() throws {
        var limits = limits
        limits.capacity = 2
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        for number in 2...3 {
            try add(entry(number), to: &schedule)
            #expect(schedule.next(now: .zero) == .deliver(Self.id(number)))
            #expect(schedule.finish(Self.id(number), .deferred, now: .zero) == .init(isKept: true))
        }
        try add(entry(4), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(4)))
        let result = schedule.finish(Self.id(4), .deferred, now: .zero)
        #expect(result == .init(dropped: [(Self.id(2), .noRoom)], isKept: true))
        #expect(schedule.contains(Self.id(1)))
        #expect((schedule.waiting, schedule.deferred) == (1, 2))
    }

    @Test func `codes are sent before notices, and the newest code first`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, priority: .notification), to: &schedule)
        try add(entry(2), to: &schedule)
        try add(entry(3), to: &schedule)
        #expect(order(&schedule) == [3, 2, 1])
    }

    @Test func `a newer code replaces a deferred code of the same topic`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, topic: "login ann"), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        #expect(schedule.finish(Self.id(1), .deferred, now: .zero).isKept)
        try schedule.reserve(entry(2, topic: "login ann"), now: .zero)
        #expect(schedule.enqueue(Self.id(2)) == [Self.id(1)])
        try add(entry(3, topic: "login bob"), to: &schedule)
        #expect(order(&schedule) == [3, 2])
    }

    @Test func `a code whose delivery is deferred after a newer one arrived is dropped as superseded`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, topic: "login ann"), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        try add(entry(2, topic: "login ann"), to: &schedule)
        let settlement = schedule.finish(Self.id(1), .deferred, now: .zero)
        #expect(settlement.dropped.map(\.cause) == [.superseded])
        #expect(!settlement.isKept)
    }

    @Test func `a full queue of deferred mail leaves room for new mail`() throws {
        var limits = limits
        limits.capacity = 4
        limits.perDomain = 4
        var schedule = MailSchedule(limits)
        var dropped: [MailDropCause] = []
        for number in 1...20 {
            try add(entry(number, to: "slow.example"), to: &schedule)
            let id = try #require(schedule.next(now: .zero).delivery)
            dropped += schedule.finish(id, .deferred, now: .zero).dropped.map(\.cause)
        }
        #expect(schedule.deferred == 4)
        #expect(dropped == Array(repeating: .noRoom, count: 16))
        #expect(schedule.waiting == 0)
        try add(entry(99, to: "other.example"), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(99)))
    }

    @Test func `a full deferred queue drops a mail of the source with the most deferred mails`() throws {
        var limits = limits
        limits.capacity = 4
        var schedule = MailSchedule(limits)
        for (number, source) in [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3)] {
            try add(entry(number, from: source), to: &schedule)
            #expect(schedule.next(now: .zero) == .deliver(Self.id(number)))
            let settlement = schedule.finish(Self.id(number), .deferred, now: .zero)
            #expect(settlement.dropped.map(\.id) == (number == 5 ? [Self.id(2)] : []))
        }
    }

    @Test func `waiting and deferred mails of a known source are limited, those of an unknown source are not`() throws {
        var limits = limits
        limits.perSource = 2
        var schedule = MailSchedule(limits)
        try add(entry(1, from: 1), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        _ = schedule.finish(Self.id(1), .deferred, now: .zero)
        try add(entry(2, from: 1), to: &schedule)
        #expect(throws: MailRefusal.source) { try schedule.reserve(entry(3, from: 1), now: .zero) }
        try add(entry(4, from: 2), to: &schedule)
        for number in 5...50 { try add(entry(number), to: &schedule) }
        // Its first one is delivered: there is room again.
        #expect(order(&schedule, now: .seconds(5)).contains(1))
        try add(entry(3, from: 1), to: &schedule, now: .seconds(5))
    }

    @Test func `an IPv6 network of 64 bits counts as one source of mail`() throws {
        var limits = limits
        limits.perSource = 2
        var schedule = MailSchedule(limits)
        for number in 1...2 {
            var entry = try entry(number)
            entry.source = MailEntry.Source(SourceAddress("2001:db8::\(number)"))
            try add(entry, to: &schedule)
        }
        var third = try entry(3)
        third.source = MailEntry.Source(SourceAddress("2001:db8::abcd:1"))
        #expect(throws: MailRefusal.source) { try schedule.reserve(third, now: .zero) }
        third.source = MailEntry.Source(SourceAddress("2001:db8:0:1::1"))
        try add(third, to: &schedule)
    }

    @Test func `a mail whose delivery must stay hidden counts against its source until its expiry`() throws {
        var limits = limits
        limits.perSource = 2
        var schedule = MailSchedule(limits)
        for number in 1...2 {
            try add(entry(number, from: 1, keepsShare: true, expiresAt: .seconds(100)), to: &schedule)
        }
        #expect(order(&schedule).count == 2)
        #expect(throws: MailRefusal.source) { try schedule.reserve(entry(3, from: 1), now: .seconds(99)) }
        try add(entry(3, from: 1), to: &schedule, now: .seconds(100))
        // A reservation that came to nothing costs nothing.
        try schedule.reserve(entry(4, from: 1, keepsShare: true), now: .seconds(100))
        schedule.cancel(Self.id(4))
        try schedule.reserve(entry(5, from: 1, keepsShare: true), now: .seconds(100))
    }

    @Test func `mails per domain and in total are limited, and notices to half of the total`() throws {
        var limits = limits
        limits.capacity = 8
        limits.perDomain = 3
        var schedule = MailSchedule(limits)
        for number in 1...3 { try add(entry(number, to: "a.example"), to: &schedule) }
        #expect(throws: MailRefusal.domain) { try schedule.reserve(entry(4, to: "a.example"), now: .zero) }
        for number in 5...8 {
            try add(entry(number, to: "\(number).example", priority: .notification), to: &schedule)
        }
        #expect(throws: MailRefusal.full) {
            try schedule.reserve(entry(9, to: "9.example", priority: .notification), now: .zero)
        }
        try add(entry(10, to: "10.example"), to: &schedule)
        #expect(throws: MailRefusal.full) { try schedule.reserve(entry(11, to: "11.example"), now: .zero) }
    }

    @Test func `a slow domain or source leaves connections to mail of other sources and domains`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...4 { try add(entry(number, from: number, to: "slow.example"), to: &schedule) }
        #expect(schedule.next(now: .zero) == .deliver(Self.id(4)))
        #expect(schedule.next(now: .zero) == .deliver(Self.id(3)))
        #expect(schedule.next(now: .zero) == .wait(until: Self.lifetime))
        for number in 11...13 { try add(entry(number, from: 9, to: "\(number).example"), to: &schedule) }
        #expect(schedule.next(now: .zero) == .deliver(Self.id(13)))
        #expect(schedule.next(now: .zero) == .deliver(Self.id(12)))
        // All four are in use.
        #expect(schedule.next(now: .zero) == .wait(until: nil))
    }

    @Test func `one of several connections delivers due deferred mail while new mail waits`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...4 {
            try add(entry(number, from: number, to: "\(number).example"), to: &schedule)
            #expect(schedule.next(now: .zero) == .deliver(Self.id(number)))
            _ = schedule.finish(Self.id(number), .deferred, now: .zero)
        }
        for number in 11...14 { try add(entry(number, from: number, to: "\(number).example"), to: &schedule) }
        let due = Duration.seconds(5)
        var order: [Int] = []
        while case .deliver(let id) = schedule.next(now: due) {
            order.append(Int(id.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }))
        }
        #expect(order.count == 4)
        #expect(order.filter { $0 < 10 }.count == 1)
        for number in order { _ = schedule.finish(Self.id(number), .delivered, now: due) }
        _ = self.order(&schedule, now: due)
        #expect(schedule.deferred == 0)
    }

    @Test func `a mail is retried with growing pauses and dropped when a retry would come after its expiry`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        var (now, pauses, result) = (Duration.zero, [Int](), MailSchedule.DeliveryResult())
        while schedule.next(now: now) == .deliver(Self.id(1)) {
            result = schedule.finish(Self.id(1), .deferred, now: now)
            guard case .wait(let until?) = schedule.next(now: now) else { break }
            pauses.append((until - now).wholeSeconds)
            now = until
        }
        #expect(pauses == [5, 15, 45, 120, 300])
        #expect(result.dropped.map(\.cause) == [.expired])
        #expect(!schedule.contains(Self.id(1)))
    }

    @Test func `a mail that expires while it waits is dropped`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, expiresAt: .seconds(10)), to: &schedule)
        try add(entry(2), to: &schedule)
        #expect(schedule.expire(now: .seconds(10)) == [Self.id(1)])
        #expect(order(&schedule, now: .seconds(10)) == [2])
    }

    @Test func `an unreachable relay is tried with one mail at a time, and no mail becomes deferred`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...3 { try add(entry(number, from: number), to: &schedule) }
        #expect(schedule.next(now: .zero) == .deliver(Self.id(3)))
        #expect(schedule.next(now: .zero) == .deliver(Self.id(2)))
        for number in [3, 2] { #expect(schedule.finish(Self.id(number), .relayUnavailable, now: .zero).isKept) }
        #expect(schedule.next(now: .zero) == .wait(until: .seconds(1)))
        var (now, pauses) = (Duration.seconds(1), [Int]())
        for _ in 1...7 {
            let id = try #require(schedule.next(now: now).delivery)
            #expect(schedule.next(now: now) == .wait(until: nil))
            _ = schedule.finish(id, .relayUnavailable, now: now)
            let until = try #require(schedule.next(now: now).pauseEnd)
            pauses.append((until - now).wholeSeconds)
            now = until
        }
        #expect(pauses == [2, 4, 8, 16, 30, 30, 30])
        // It accepts mail meanwhile, and delivers all of it once the relay is back.
        try add(entry(4, from: 4), to: &schedule, now: now)
        #expect(schedule.deferred == 0)
        #expect(Set(order(&schedule, now: now)) == [1, 2, 3, 4])
    }

    @Test func `new mail is refused while the relay refuses all mail, until one delivery succeeds`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        #expect(schedule.finish(Self.id(1), .relayRefused, now: .zero).isKept)
        #expect(throws: MailRefusal.relay) { try schedule.reserve(entry(2), now: .seconds(60)) }
        #expect(order(&schedule, now: .seconds(60)) == [1])
        try add(entry(2), to: &schedule, now: .seconds(60))
    }

    @Test func `a discarded mail does not show that a relay that refused all mail accepts mail again`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1), to: &schedule)
        try add(entry(2), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(2)))
        _ = schedule.finish(Self.id(2), .relayRefused, now: .zero)
        #expect(schedule.next(now: .seconds(1)) == .deliver(Self.id(1)))
        _ = schedule.finish(Self.id(1), .discarded, now: .seconds(1))
        #expect(throws: MailRefusal.relay) { try schedule.reserve(entry(3), now: .seconds(1)) }
        // The next one is the probe.
        #expect(schedule.next(now: .seconds(1)) == .deliver(Self.id(2)))
        #expect(schedule.next(now: .seconds(1)) == .wait(until: nil))
    }

    @Test func `an empty queue accepts one mail as a probe of a relay that refused all mail`() throws {
        var schedule = MailSchedule(limits)
        try add(entry(1, expiresAt: .seconds(10)), to: &schedule)
        #expect(schedule.next(now: .zero) == .deliver(Self.id(1)))
        _ = schedule.finish(Self.id(1), .relayRefused, now: .zero)
        #expect(schedule.expire(now: .seconds(10)) == [Self.id(1)])
        try add(entry(2), to: &schedule, now: .seconds(10))
        #expect(throws: MailRefusal.relay) { try schedule.reserve(entry(3), now: .seconds(10)) }
    }

    @Test func `stored mails are restored beside new ones, and only the newest of each topic`() throws {
        var limits = limits
        limits.capacity = 2
        var schedule = MailSchedule(limits)
        #expect(schedule.restore(try entry(1, topic: "login ann", expiresAt: .seconds(100)), now: .zero) == [])
        #expect(
            schedule.restore(try entry(2, topic: "login ann", expiresAt: .seconds(200)), now: .zero) == [Self.id(1)]
        )
        #expect(
            schedule.restore(try entry(3, topic: "login ann", expiresAt: .seconds(150)), now: .zero) == [Self.id(3)]
        )
        #expect(schedule.restore(try entry(4), now: .zero) == [])
        #expect(!schedule.canRestore)
        for number in 5...6 { try add(entry(number, to: "\(number).example"), to: &schedule) }
        #expect(Set(order(&schedule)) == [2, 4, 5, 6])
    }

    @Test func `mails that another server has taken over are removed, except one that is being delivered`() throws {
        var schedule = MailSchedule(limits)
        for number in 1...3 { try add(entry(number), to: &schedule) }
        #expect(schedule.next(now: .zero) == .deliver(Self.id(3)))
        #expect(schedule.retainOnly { $0 == Self.id(2) } == [Self.id(1)])
        #expect(schedule.finish(Self.id(3), .delivered, now: .zero) == MailSchedule.DeliveryResult())
        #expect(order(&schedule) == [2])
    }

    @Test func `a server whose counter does not advance is dead, one seen only once is not`() {
        var monitor = HeartbeatMonitor()
        let (still, alive): ([UInt8], [UInt8]) = ([1], [2])
        for look in 0..<4 {
            #expect(monitor.observe([(still, 7), (alive, Int64(look))]) == [])
        }
        #expect(monitor.observe([(still, 7), (alive, 99)]) == [still])
        #expect(monitor.observe([(still, 8), (alive, 100)]) == [])
        // A look that found nothing starts anew.
        #expect(monitor.observe([]) == [])
        #expect(monitor.observe([(still, 8)]) == [])
    }
}

extension MailSchedule.Next {
    var delivery: Bits128? { if case .deliver(let id) = self { id } else { nil } }
    var pauseEnd: Duration? { if case .wait(let until) = self { until } else { nil } }
}
