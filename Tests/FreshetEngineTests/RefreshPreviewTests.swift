// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Refresh previews` {
    private func serves(_ session: ServerSession, _ token: RefreshToken) -> Bool {
        session.policy.wouldServe(session.row, token: token, now: session.now, keys: session.keys)
    }

    @Test func `the current token and its successors would be served, an older one and another branch not`() {
        var session = ServerSession(.plain)
        #expect(serves(session, session.token(0)))
        #expect(!serves(session, session.token(0, branch: 1)))
        _ = session.refresh(session.token(0))
        _ = session.refresh(session.token(0), after: .seconds(60))
        #expect(serves(session, session.token(0)))
        #expect(!serves(session, session.token(1, branch: 1)))
        #expect(serves(session, session.token(1, branch: 2)))
        #expect(serves(session, session.token(5)))
        _ = session.refresh(session.token(1, branch: 2))
        #expect(!serves(session, session.token(0)))
        #expect(!serves(session, session.token(1, branch: 1)))
        #expect(serves(session, session.token(1, branch: 2)))
    }

    @Test func `a static session's tokens would be served until its logout`() {
        var session = ServerSession(.static)
        for token in [session.token(0), session.token(0, branch: 1), session.token(3)] {
            #expect(serves(session, token))
            #expect(session.refresh(token) == .served(token, .unrotated))
        }
        _ = session.logout(session.token(0))
        #expect(!serves(session, session.token(0)))
    }
}

@Suite struct `Refresh hints` {
    @Test func `a refresh hint is at nine tenths of the lifetime, or earlier by up to two fifths of it`() {
        let hour = Duration.seconds(3600)
        #expect(hour.refreshHint(spread: 0.1, chance: 0) == .seconds(3240))
        #expect(hour.refreshHint(spread: 0.1, chance: 1) == .seconds(2520))
        #expect(hour.refreshHint(spread: 0.2, chance: 1) == .seconds(1800))
        #expect(hour.refreshHint(spread: 1, chance: 1) == .seconds(1800))
        for _ in 1...100 { #expect((1800...3240).contains(hour.refreshHint(spread: 1)?.wholeSeconds ?? 0)) }
    }

    @Test func `a lifetime under a minute, or without a spread, has no refresh hint`() {
        #expect(Duration.seconds(60).refreshHint(spread: 0.1, chance: 0) == .seconds(54))
        #expect(Duration.milliseconds(59_999).refreshHint(spread: 0.1, chance: 0) == nil)
        #expect(Duration.seconds(3600).refreshHint(spread: 0, chance: 0) == nil)
        #expect(Duration.seconds(3600).refreshHint(spread: 0.5, chance: 0) != nil)
    }
}

@Suite struct `Limits and periods by value` {
    @Test func `a listener for operators has 64 connections, and 32 for one network`() {
        let limits = AdmissionLimits.operators
        #expect((limits.connections, limits.connectionsPerSource) == (64, 32))
        #expect((limits.requests, limits.writes) == (8000, 4096))
        #expect(limits.connectionsPerBlock == 32)
        #expect(limits.reservedConnections == 6)
    }

    @Test func `limits of signing in and of the mail queue have their documented values`() {
        let limits = SignInRateLimits()
        func limit(_ capacity: Int, _ seconds: Int) -> RateLimit {
            RateLimit(capacity: capacity, interval: .seconds(seconds))
        }
        #expect(limits.attemptsFromNetwork == limit(10, 30))
        #expect(limits.failuresFromUnknownOrigins == limit(100, 300))
        #expect(limits.failuresFromKnownNetwork == limit(20, 300))
        #expect(limits.failuresFromNetwork == limit(30, 10))
        #expect(limits.requestsFromNetwork == limit(300, 2))
        #expect(limits.attemptsOnDevice == limit(10, 60))
        #expect(limits.codesFromNetwork == limit(5, 60))
        #expect(limits.attemptsAtCode == limit(10, 30))
        for daily in [
            limits.codesFromUnknownOrigins, limits.codesFromKnownNetworks, limits.codesOnDevices, limits.notices,
        ] {
            #expect(daily == limit(10, 8640))
        }
        for daily in [limits.codesFromKnownNetwork, limits.codesOnDevice] { #expect(daily == limit(5, 17_280)) }
        #expect(limits.secretsFromNetwork == limit(10, 30))
        #expect(limits.secretsFromUnknownNetworks == limit(100, 300))
        let mail = MailLimits()
        #expect((mail.capacity, mail.perSource, mail.perDomain, mail.connections) == (1024, 64, 512, 4))
        #expect((mail.notificationCapacity, mail.connectionShare) == (512, 2))
        let retention = AuditRetention()
        #expect((retention.events, retention.plain) == (.seconds(7_776_000), .seconds(604_800)))
    }

    @Test func `a connection that is released makes room for one of its network`() throws {
        var limits = AdmissionLimits()
        limits.connectionsPerSource = 2
        var limiter = ConnectionLimiter(limits)
        let source = try #require(SourceAddress("192.0.2.7"))
        for _ in 1...2 { try limiter.admit(source) }
        limiter.release(source)
        try limiter.admit(source)
        #expect(throws: ConnectionLimiter.Refusal.networkShare) { try limiter.admit(source) }
        #expect(limiter.count == 2)
    }

    @Test func `a network without a share of sockets is refused`() {
        var sockets = UnauthenticatedSockets<Int>(total: 1, perNetwork: 0)
        #expect(sockets.insert(1, from: nil) == .refused)
    }

    @Test func `an e-mail address has at most 254 bytes`() {
        let domain = "@example.com"
        #expect(EmailAddress(String(repeating: "a", count: 254 - domain.count) + domain) != nil)
        #expect(EmailAddress(String(repeating: "a", count: 255 - domain.count) + domain) == nil)
    }

    @Test func `a histogram has one more bucket than bounds, and a percentile's share is clamped to 0 and 1`() {
        var histogram = LatencyHistogram(bounds: [1, 2])
        #expect(histogram.counts == [0, 0, 0])
        histogram.add(4, to: "1.0")
        #expect(histogram.percentile(-1) == 0)
        #expect(histogram.percentile(0.5) == 0.5)
        #expect(histogram.percentile(2) == 1)
    }

    @Test func `the count of a refresh streak stays at its maximum instead of overflowing`() {
        let session = ServerSession()
        var row = session.row
        row.run = RefreshStreak(since: session.now, at: session.now, times: .max, generation: 0, source: nil)
        let decision = RotationDecision(.served(session.token(1), .bound), row: row)
        let recorded = decision.recording(row, generation: 1, from: nil, at: session.now)
        #expect(recorded.row?.run?.times == .max)
        #expect(recorded.row?.run?.generation == 1)
    }

    @Test func `deferred mail is tried after growing pauses, and discarded mail leaves the queue`() throws {
        #expect(MailSchedule.delays == [5, 15, 45, 120, 300, 600, 1200, 1800].map { .seconds($0) })
        var schedule = MailSchedule(MailLimits())
        let entry = MailEntry(
            id: Bits128(1, 0),
            priority: .code,
            source: .unattributed,
            domain: "example.com",
            topic: nil,
            keepsShare: false,
            expiresAt: .seconds(600)
        )
        try schedule.reserve(entry, now: .zero)
        _ = schedule.enqueue(entry.id)
        #expect(schedule.next(now: .zero) == .deliver(entry.id))
        #expect(schedule.finish(entry.id, .discarded, now: .zero) == .init())
        #expect(!schedule.contains(entry.id))
        #expect(schedule.inFlight == 0)
    }

    @Test func `a lifetime of a minute is reduced by up to a share, a shorter one not`() {
        #expect(Duration.seconds(60).jittered(by: 0.1, chance: 1) == .seconds(54))
        #expect(Duration.seconds(60).jittered(by: 0.1, chance: 0) == .seconds(60))
        #expect(Duration.milliseconds(59_999).jittered(by: 0.1, chance: 1) == .milliseconds(59_999))
        #expect(Duration.seconds(60).jittered(by: 0, chance: 1) == .seconds(60))
    }

    @Test func `an untrusted clock never moves the time of the last use back`() {
        var session = ServerSession()
        let later = session.now + .seconds(500)
        session.row.lastUsedAt = later
        session.policy.isClockTrusted = false
        _ = session.refresh(session.token(0), .owner)
        #expect(session.row.lastUsedAt == later)
        session.policy.isClockTrusted = true
        _ = session.refresh(session.token(1), .owner)
        #expect(session.row.lastUsedAt == session.now)
    }

    @Test func `a key ring refuses a current key that was retired`() {
        let key = ServerSession.ring([1: 0x11], current: 1)
        #expect(key.currentID == 1)
        let keys: [UInt8: SymmetricKey] = [1: SymmetricKey(size: .bits256), 2: SymmetricKey(size: .bits256)]
        #expect(TokenKeyRing(keys: keys, currentID: 1, retired: [2]) != nil)
        #expect(TokenKeyRing(keys: keys, currentID: 1, retired: [1]) == nil)
    }

    @Test func `a platform that is already counted by name stays so when no further one fits`() {
        var counts = ClientVersionCounts()
        for number in 0..<10_000 { counts.count(platform: "p\(number)", app: nil, version: nil) }
        let first = counts.platforms(10_000).first { $0.name == "p0" }?.count
        counts.count(platform: "p0", app: nil, version: nil)
        #expect(first == 1)
        #expect(counts.platforms(10_000).first { $0.name == "p0" }?.count == 2)
    }

    @Test func `a block of addresses has eight times the connections of a network, and at most a quarter of all`() {
        var limits = AdmissionLimits()
        #expect((limits.connections, limits.connectionsPerSource, limits.reservedConnections) == (20_000, 256, 2000))
        #expect(limits.connectionsPerBlock == 2048)
        limits.connections = 4000
        #expect(limits.connectionsPerBlock == 1000)
        limits.connections = 400
        #expect(limits.connectionsPerBlock == 256)
        #expect(limits.sessionRateLimit == RateLimit(capacity: 200, interval: .seconds(1)))
        #expect(limits.sourceRateLimit == RateLimit(capacity: 1000, interval: .milliseconds(10)))
        #expect(!limits.countsLoopback)
    }

    @Test func `an error for a refused mail contains a retry delay`() {
        let source = APIError(MailRefusal.source)
        #expect((source.code, source.retryAfter) == (.tooManyRequests, .seconds(60)))
        for refusal in [MailRefusal.domain, .full, .relay] {
            #expect(APIError(refusal).code == .unavailable)
            // A time that did not occur in a thousand has a chance of less than one in 10²¹.
            let waits = Set((1...1000).compactMap { _ in APIError(refusal).retryAfter?.wholeSeconds })
            #expect(waits == Set(20...40))
        }
        for answer in [RotationOutcome.refused(.keyUnavailable), .refused(.unsupportedMode)] {
            #expect(APIError(answer).retryAfter == .seconds(30))
        }
        #expect(APIError.clockNotTrusted.retryAfter == .seconds(60))
        #expect(Set((1...1000).compactMap { _ in APIError.overloaded("full").retryAfter?.wholeSeconds }) == Set(1...4))
    }

    @Test func `metrics are kept by minute for two days, and by hour for ninety`() {
        #expect(TimeRange.minuteResolutionRetention == 2880)
        #expect(TimeRange.kept == 129_600)
        #expect(TimeRange.allCases.map { $0.step * Int64($0.count) } == [60, 1440, 10_080, 43_200])
        #expect(Timestamp(minute: 3) == Timestamp(milliseconds: 180_000))
        #expect(Timestamp(milliseconds: 179_999).minute == 2)
        #expect(Timestamp(milliseconds: 0).minute == 0)
        #expect(Timestamp(milliseconds: -1).minute == -1)
        #expect(Timestamp(milliseconds: 1500).seconds == 1.5)
    }

    @Test func `a bucket's missing tokens count from the first millisecond`() {
        let (limit, now) = (RateLimit(capacity: 4, interval: .seconds(1)), Timestamp(milliseconds: 1_000_000))
        for (missing, used) in [(0, 0), (1, 1), (1000, 1), (1001, 2), (4000, 4), (9000, 4)] {
            #expect(TokenBucket(fullAt: now + .milliseconds(missing)).used(of: limit, now: now) == used)
        }
        let quick = RateLimit(capacity: 4, interval: .milliseconds(1))
        #expect(TokenBucket(fullAt: now + .milliseconds(3)).used(of: quick, now: now) == 3)
        let unlimited = RateLimit(capacity: 4, interval: .zero)
        #expect(TokenBucket(fullAt: now + .seconds(1)).used(of: unlimited, now: now) == 0)
    }

    @Test func `a mail queue is drained when no mail waits for its first attempt or is being delivered`() throws {
        var schedule = MailSchedule(MailLimits())
        let entry = MailEntry(
            id: Bits128(1, 0),
            priority: .code,
            source: .unattributed,
            domain: "example.com",
            topic: nil,
            keepsShare: false,
            expiresAt: .seconds(600)
        )
        #expect(schedule.isDrained)
        #expect(schedule.oldestAge(now: .seconds(9)) == .zero)
        try schedule.reserve(entry, now: .seconds(1))
        #expect(!schedule.isDrained)
        #expect(schedule.oldestAge(now: .seconds(9)) == .seconds(8))
        _ = schedule.enqueue(entry.id)
        #expect(schedule.next(now: .seconds(1)) == .deliver(entry.id))
        #expect(!schedule.isDrained)
        #expect(schedule.finish(entry.id, .deferred, now: .seconds(1)).isKept)
        #expect(schedule.isDrained)
        #expect(schedule.next(now: .seconds(6)) == .deliver(entry.id))
        #expect(!schedule.isDrained)
        #expect(schedule.finish(entry.id, .refused, now: .seconds(6)) == .init(dropped: [(entry.id, .refused)]))
    }
}
