// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import FreshetJWT

@Suite(.timeLimit(.minutes(5))) struct `A list of ended sessions` {
    private final class Feed: Sendable {
        private struct State {
            var now = TestTokenIssuer.now
            var pages: [RevocationPage?] = []
            var asked: [(after: String?, wait: Int)] = []
        }
        private let state = NIOLockedValueBox(State())

        var asked: [(after: String?, wait: Int)] { state.withLockedValue { $0.asked } }

        func advance(_ seconds: Double) { state.withLockedValue { $0.now += seconds } }

        func publish(_ ids: String..., at: Double = TestTokenIssuer.now, cursor: String, more: Bool = false) {
            let entries = ids.map { RevocationPage.Entry(sid: $0, reason: "logout", at: at) }
            state.withLockedValue { $0.pages.append(RevocationPage(ended: entries, cursor: cursor, more: more)) }
        }

        func fail() { state.withLockedValue { $0.pages.append(nil) } }

        /// Returns a list of this feed; `onPause` is called instead of a pause after a failure.
        func list(
            _ limits: RevocationList.Limits = .init(),
            onPause: @escaping @Sendable () -> Void = {}
        ) -> RevocationList {
            RevocationList(
                limits: limits,
                now: { self.state.withLockedValue { $0.now } },
                sleep: { _ in onPause() }
            ) { after, wait in
                let page = self.state.withLockedValue { state in
                    state.asked.append((after, wait))
                    return state.pages.isEmpty ? nil : state.pages.removeFirst()
                }
                guard let page else { throw URLError(.cannotConnectToHost) }
                return page
            }
        }
    }

    private let feed = Feed()

    @Test func `a verifier refuses the tokens of ended sessions and no others`() async throws {
        feed.publish("s1", cursor: "1")
        let list = feed.list()
        let keys = try JWKSet(Array(TestTokenIssuer.published.utf8))
        let verifier = TokenVerifier(
            TokenRules(issuer: TestTokenIssuer.issuer, audience: TestTokenIssuer.audience),
            keys: .fixed(keys),
            revocations: list,
            now: { TestTokenIssuer.now }
        )
        let ended = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload())
        let other = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["sid": #""s2""#]))
        _ = try await verifier.verify(ended)
        try await list.poll()
        await #expect(throws: TokenVerificationError.sessionEnded) { try await verifier.verify(ended) }
        #expect(try await verifier.verify(other).session == "s2")
        // A token that says of no session is good until its end.
        _ = try await verifier.verify(
            try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["sid": nil]))
        )
    }

    @Test func `a revocation list polls from its last cursor, and waits only after it has all pages`() async throws {
        feed.publish("a", cursor: "1", more: true)
        feed.publish("b", cursor: "2")
        feed.publish("c", cursor: "3")
        let list = feed.list()
        #expect(await list.status == .none)
        try await list.poll()
        #expect(await list.status == .none)
        try await list.poll()
        #expect(await list.status == .current)
        try await list.poll()
        #expect(feed.asked.map(\.after) == [nil, "1", "2"])
        #expect(feed.asked.map(\.wait) == [0, 0, 25])
        for id in ["a", "b", "c"] { #expect(await list.hasEnded(id)) }
        #expect(await !list.hasEnded("d"))
    }

    @Test func `a revocation list keeps its sessions after failures, reports since when it is stale, and catches up`()
        async throws
    {
        let pages = NIOLockedValueBox<[RevocationPage?]>([
            RevocationPage(ended: [.init(sid: "a", reason: "fork", at: TestTokenIssuer.now)], cursor: "1", more: false),
            nil, nil,
            RevocationPage(ended: [.init(sid: "b", reason: "fork", at: TestTokenIssuer.now)], cursor: "2", more: false),
        ])
        let waits = NIOLockedValueBox<[Int]>([])
        let (pauses, paused) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
        let list = RevocationList(
            now: { TestTokenIssuer.now },
            sleep: { _ in await withCheckedContinuation { paused.yield($0) } },
            transport: { _, wait in
                waits.withLockedValue { $0.append(wait) }
                guard let page = pages.withLockedValue({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                    throw URLError(.cannotConnectToHost)
                }
                return page
            }
        )
        #expect(await list.status == .none)
        let task = Task { await list.follow() }
        var states: [RevocationList.Status] = []
        for await pause in pauses {
            states.append(await list.status)
            #expect(await list.hasEnded("a"))
            #expect(await list.hasEnded("b") == (states.count > 2))
            if states.count == 3 { task.cancel() }
            pause.resume()
            if states.count == 3 { break }
        }
        await task.value
        #expect(states == Array(repeating: .stale(since: TestTokenIssuer.now), count: 3))
        // While it is blind it asks for an answer at once.
        #expect(waits.withLockedValue { $0 } == [0, 25, 0, 0, 25])
    }

    @Test func `a revocation list removes sessions whose tokens have expired, and the oldest beyond its capacity`()
        async throws
    {
        var limits = RevocationList.Limits()
        limits.capacity = 4
        limits.maximumTokenLifetime = 600
        let list = feed.list(limits)
        feed.publish("old", "older", at: TestTokenIssuer.now - 601, cursor: "1")
        feed.publish("a", at: TestTokenIssuer.now - 4, cursor: "2")
        feed.publish("b", "c", "d", "e", at: TestTokenIssuer.now, cursor: "3")
        for _ in 0..<3 { try await list.poll() }
        for id in ["old", "older", "a"] { #expect(await !list.hasEnded(id)) }
        for id in ["b", "c", "d", "e"] { #expect(await list.hasEnded(id)) }
    }

    @Test func `a revocation list refuses tokens issued before the end of a session that it removed`()
        async throws
    {
        var limits = RevocationList.Limits()
        limits.capacity = 2
        let list = feed.list(limits)
        let now = TestTokenIssuer.now
        feed.publish("a", "b", at: now - 9, cursor: "1")
        feed.publish("c", at: now - 3, cursor: "2")
        try await list.poll()
        #expect(await list.refuses("a", issuedAt: now - 20))
        // Without a removed end, any other session is known to be active.
        #expect(await !list.refuses("x", issuedAt: now - 20))
        #expect(await !list.refuses("x", issuedAt: nil))
        try await list.poll()
        let removed = await list.hasEnded("a") ? "b" : "a"
        #expect(await !list.hasEnded(removed))
        for id in [removed, "x"] {
            #expect(await list.refuses(id, issuedAt: now - 9))
            #expect(await list.refuses(id, issuedAt: nil))
            #expect(await !list.refuses(id, issuedAt: now - 8.5))
        }
    }

    @Test func `a revocation list refuses tokens from before the latest removed end, in any order of removal`()
        async throws
    {
        var limits = RevocationList.Limits()
        limits.capacity = 2
        let list = feed.list(limits)
        let now = TestTokenIssuer.now
        feed.publish("a", "b", at: now - 5, cursor: "1")
        feed.publish("c", at: now - 3, cursor: "2")
        feed.publish("d", at: now - 9, cursor: "3")
        for _ in 0..<3 { try await list.poll() }
        #expect(await !list.hasEnded("d"))
        #expect(await list.refuses("x", issuedAt: now - 6))
    }

    @Test func `a revocation list keeps a session for its tokens' lifetime, also if a later page has an earlier time`()
        async throws
    {
        var limits = RevocationList.Limits()
        limits.maximumTokenLifetime = 600
        // With two sessions, old ones are removed after each page.
        limits.capacity = 3
        let list = feed.list(limits)
        feed.publish("a", at: TestTokenIssuer.now, cursor: "1")
        feed.publish("a", "b", at: TestTokenIssuer.now - 500, cursor: "2")
        for cursor in ["3", "4", "5"] { feed.publish(cursor: cursor) }
        for _ in 0..<2 { try await list.poll() }
        feed.advance(100)
        try await list.poll()
        #expect(await list.hasEnded("b"))
        feed.advance(0.25)
        try await list.poll()
        #expect(await !list.hasEnded("b"))
        #expect(await list.hasEnded("a"))
    }

    @Test func `a revocation list removes old sessions once it is more than half full`() async throws {
        var limits = RevocationList.Limits()
        limits.capacity = 4
        limits.maximumTokenLifetime = 600
        let list = feed.list(limits)
        feed.publish("a", "b", at: TestTokenIssuer.now - 601, cursor: "1")
        feed.publish("c", at: TestTokenIssuer.now, cursor: "2")
        // Fewer sessions are not looked through with each page.
        try await list.poll()
        #expect(await list.hasEnded("a"))
        try await list.poll()
        for id in ["a", "b"] { #expect(await !list.hasEnded(id)) }
        #expect(await list.hasEnded("c"))
    }

    @Test func `a revocation list's pause doubles after each failure up to 15 seconds, and is reset by a response`()
        async
    {
        let attempts = NIOLockedValueBox(0)
        let pauses = NIOLockedValueBox<[Duration]>([])
        let list = RevocationList(
            now: { TestTokenIssuer.now },
            sleep: { pause in
                let count = pauses.withLockedValue { pauses in
                    pauses.append(pause)
                    return pauses.count
                }
                if count == 38 { withUnsafeCurrentTask { $0?.cancel() } }
            },
            transport: { _, _ in
                let attempt = attempts.withLockedValue { attempts in
                    attempts += 1
                    return attempts
                }
                guard attempt == 31 else { throw URLError(.cannotConnectToHost) }
                return RevocationPage(ended: [], cursor: "1", more: false)
            }
        )
        await Task { await list.follow() }.value
        // Each pause is between a half and the whole of these.
        let first: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)]
        let longest =
            first + Array(repeating: .seconds(15), count: 25) + first + Array(repeating: .seconds(15), count: 3)
        let seen = pauses.withLockedValue { $0 }
        #expect(seen.count == longest.count)
        for (pause, limit) in zip(seen, longest) { #expect(pause <= limit && pause >= limit / 2) }
        #expect(Set(seen).count > 30, "without jitter")
    }

    @Test func `a revocation list is stale since its latest response, also after the clock is set back`() async throws {
        feed.publish("a", cursor: "1")
        feed.publish("b", cursor: "2")
        feed.fail()
        let list = feed.list { withUnsafeCurrentTask { $0?.cancel() } }
        try await list.poll()
        feed.advance(-100)
        try await list.poll()
        await Task { await list.follow() }.value
        #expect(await list.status == .stale(since: TestTokenIssuer.now))
    }

    @Test func `a revocation list reports no failure when it is cancelled`() async {
        let reported = NIOLockedValueBox(0)
        let list = RevocationList(now: { TestTokenIssuer.now }) { _, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            throw CancellationError()
        }
        await Task { await list.follow { _ in reported.withLockedValue { $0 += 1 } } }.value
        #expect(reported.withLockedValue { $0 } == 0)
    }

    @Test func `a revocation list has the documented limits by default`() {
        var limits = RevocationList.Limits()
        limits.maximumTokenLifetime = 3660
        limits.capacity = 200_000
        limits.wait = 25
        limits.retry = 0.5...15
        #expect(limits == RevocationList.Limits())
    }
}
