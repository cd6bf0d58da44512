// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(1)))
struct `Rate limits of refreshes` {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)
    private let session = SessionID(Bits128(1, 1))
    private let other = SessionID(Bits128(2, 2))
    private let ofSession = APIError(.tooManyRequests, "too many refreshes of this session", retryAfter: .seconds(1))
    private let ofNetwork = APIError(
        .tooManyRequests,
        "too many refreshes from this network",
        retryAfter: .milliseconds(10)
    )

    private func limiter(session: Int, source: Int, isLimited: Bool = true) -> RefreshRateLimiter {
        var limits = AdmissionLimits()
        limits.sessionRateLimit = RateLimit(capacity: session, interval: .seconds(1))
        limits.sourceRateLimit = RateLimit(capacity: source, interval: .milliseconds(10))
        return RefreshRateLimiter(limits) { _ in isLimited }
    }

    private func address(_ text: String) throws -> SourceAddress { try #require(SourceAddress(text)) }

    @Test func `a session's refreshes beyond its limit are refused for a second`() throws {
        let (limiter, home) = (limiter(session: 2, source: 100), try address("192.0.2.1"))
        for _ in 1...2 { try limiter.take(session, from: home, now: now) }
        #expect(throws: ofSession) { try limiter.take(session, from: home, now: now) }
        try limiter.take(other, from: home, now: now)
        try limiter.take(session, from: home, now: now + .seconds(1))
        #expect(throws: ofSession) { try limiter.take(session, from: home, now: now + .seconds(1)) }
    }

    @Test func `a client in another network does not use up the tokens of the session's owner`() throws {
        let limiter = limiter(session: 1, source: 100)
        try limiter.take(session, from: address("192.0.2.1"), now: now)
        try limiter.take(session, from: address("192.0.2.2"), now: now)
        try limiter.take(session, from: nil, now: now)
        #expect(throws: ofSession) { try limiter.take(session, from: nil, now: now) }
        // Two addresses of a /64 are one network.
        try limiter.take(session, from: address("2001:db8::1"), now: now)
        #expect(throws: ofSession) { try limiter.take(session, from: address("2001:db8::2"), now: now) }
    }

    @Test func `a network's refreshes are limited over all sessions`() throws {
        let (limiter, home) = (limiter(session: 100, source: 2), try address("192.0.2.1"))
        try limiter.take(session, from: home, now: now)
        try limiter.take(other, from: home, now: now)
        #expect(throws: ofNetwork) { try limiter.take(SessionID(Bits128(3, 3)), from: home, now: now) }
        try limiter.take(session, from: address("192.0.2.2"), now: now)
        try limiter.take(session, from: nil, now: now)
    }

    @Test func `a refresh that its network's limit refuses takes no token of the session`() throws {
        let (limiter, home) = (limiter(session: 2, source: 1), try address("192.0.2.1"))
        try limiter.take(session, from: home, now: now)
        #expect(throws: ofNetwork) { try limiter.take(session, from: home, now: now) }
        try limiter.take(session, from: home, now: now + .milliseconds(10))
    }

    @Test func `an address that is not limited by its network is limited by session only`() throws {
        let (limiter, proxy) = (limiter(session: 3, source: 1, isLimited: false), try address("127.0.0.1"))
        for _ in 1...3 { try limiter.take(session, from: proxy, now: now) }
        #expect(throws: ofSession) { try limiter.take(session, from: proxy, now: now) }
    }
}
