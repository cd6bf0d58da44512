// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Whether a refresh would be served` {
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

    @Test func `nothing would be served after a logout, and a token of static mode is always`() {
        var session = ServerSession(.static)
        #expect(serves(session, session.token(0)))
        _ = session.logout(session.token(0))
        #expect(!serves(session, session.token(0)))
    }
}

@Suite struct `The time at which a client should refresh` {
    @Test func `it is at nine tenths of the lifetime, or earlier by up to two fifths of it`() {
        let hour = Duration.seconds(3600)
        #expect(hour.refreshHint(spread: 0.1, chance: 0) == .seconds(3240))
        #expect(hour.refreshHint(spread: 0.1, chance: 1) == .seconds(2520))
        #expect(hour.refreshHint(spread: 0.2, chance: 1) == .seconds(1800))
        #expect(hour.refreshHint(spread: 1, chance: 1) == .seconds(1800))
        for _ in 1...100 { #expect((1800...3240).contains(hour.refreshHint(spread: 1)?.wholeSeconds ?? 0)) }
    }

    @Test func `there is none for a lifetime of less than a minute or without a spread`() {
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

    @Test func `a refused mail says when to try again`() {
        let source = APIError(MailRefusal.source)
        #expect((source.code, source.retryAfter) == (.tooManyRequests, .seconds(60)))
        for refusal in [MailRefusal.domain, .full, .relay] {
            let error = APIError(refusal)
            #expect(error.code == .unavailable)
            #expect((20...40).contains(error.retryAfter?.wholeSeconds ?? 0))
        }
        for answer in [RotationOutcome.refused(.keyUnavailable), .refused(.unsupportedMode)] {
            #expect(APIError(answer).retryAfter == .seconds(30))
        }
        #expect(APIError.clockNotTrusted.retryAfter == .seconds(60))
        #expect((1...4).contains(APIError.overloaded("full").retryAfter?.wholeSeconds ?? 0))
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
