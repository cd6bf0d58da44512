// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import FreshetJWT

@Suite(.timeLimit(.minutes(5))) struct `Keys at an address` {
    /// An issuer whose answers the test gives, and a clock that it moves.
    private final class Issuer: Sendable {
        private struct State {
            var now = 1000.0
            var asked = 0
            var answer: JWKSetResponse?
            var isHeld = false
            var held: [CheckedContinuation<Void, Never>] = []
            var onReading: (@Sendable () -> Void)?
        }
        private let state = NIOLockedValueBox(State())
        let requests: AsyncStream<Void>
        private let announce: AsyncStream<Void>.Continuation

        init() { (requests, announce) = AsyncStream.makeStream() }

        var asked: Int { state.withLockedValue { $0.asked } }

        /// Returns at the next request.
        func untilAsked() async {
            for await _ in requests { break }
        }

        /// Calls `action` whenever the source reads the clock, which it does within its actor.
        func onReading(_ action: @escaping @Sendable () -> Void) { state.withLockedValue { $0.onReading = action } }

        private func now() -> Double {
            let (now, action) = state.withLockedValue { ($0.now, $0.onReading) }
            action?()
            return now
        }

        func advance(_ seconds: Double) { state.withLockedValue { $0.now += seconds } }

        func publish(_ ids: String..., age: Double? = nil) {
            let keys = ids.map { TestTokenIssuer.curveKey($0, TestTokenIssuer.curve.publicKey) }.joined(separator: ",")
            let body = Array(#"{"keys":[\#(keys)]}"#.utf8)
            state.withLockedValue { $0.answer = JWKSetResponse(body: body, maximumAge: age) }
        }

        func answer(_ text: String) { state.withLockedValue { $0.answer = JWKSetResponse(body: Array(text.utf8)) } }

        func fail() { state.withLockedValue { $0.answer = nil } }

        func hold() { state.withLockedValue { $0.isHeld = true } }

        func release() {
            let held = state.withLockedValue { state in
                state.isHeld = false
                defer { state.held = [] }
                return state.held
            }
            for waiter in held { waiter.resume() }
        }

        func source() throws -> JWKSource {
            let url = try #require(URL(string: "https://issuer.example/keys"))
            return try JWKSource(url, now: { self.now() }) { _ in
                await withCheckedContinuation { continuation in
                    let isHeld = self.state.withLockedValue { state in
                        state.asked += 1
                        if state.isHeld { state.held.append(continuation) }
                        return state.isHeld
                    }
                    self.announce.yield()
                    if !isHeld { continuation.resume() }
                }
                guard let answer = self.state.withLockedValue({ $0.answer }) else { throw URLError(.timedOut) }
                return answer
            }
        }
    }

    private let issuer = Issuer()

    private func fault(_ source: JWKSource, _ id: String) async -> TokenVerificationError? {
        do throws(TokenVerificationError) {
            _ = try await source.key(id)
            return nil
        } catch {
            return error
        }
    }

    /// A source whose key `a` has expired, and whose issuer has just failed for the first time.
    private func expiredSource() async throws -> JWKSource {
        issuer.publish("a", age: 600)
        let source = try issuer.source()
        #expect(await fault(source, "a") == nil)
        await issuer.untilAsked()
        issuer.fail()
        issuer.advance(600)
        #expect(await fault(source, "a") == nil)
        await issuer.untilAsked()
        return source
    }

    @Test func `concurrent callers share one fetch of the keys, even if one of them is cancelled`() async throws {
        issuer.publish("a")
        issuer.hold()
        let source = try issuer.source()
        let impatient = Task { await fault(source, "a") }
        for await _ in issuer.requests { break }
        let faults = await withTaskGroup(of: TokenVerificationError?.self) { group in
            for _ in 0..<50 { group.addTask { await fault(source, "a") } }
            impatient.cancel()
            issuer.release()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(faults == Array(repeating: nil, count: 50))
        #expect(await impatient.value == nil)
        #expect(issuer.asked == 1)
    }

    @Test func `every caller that needs an unknown key waits for the fetch in progress`() async throws {
        issuer.publish("a")
        let source = try issuer.source()
        #expect(await fault(source, "a") == nil)
        var requests = issuer.requests.makeAsyncIterator()
        await requests.next()
        issuer.publish("a", "b")
        issuer.hold()
        let first = Task { await fault(source, "b") }
        await requests.next()
        let (readings, read) = AsyncStream.makeStream(of: Void.self)
        issuer.onReading { read.yield() }
        let second = Task { await fault(source, "b") }
        for await _ in readings { break }
        // The actor serves this call after it has decided whether the second caller waits.
        #expect(await fault(source, "a") == nil)
        issuer.release()
        #expect(await first.value == nil)
        #expect(await second.value == nil)
        #expect(issuer.asked == 2)
    }

    @Test func `keys are fetched again for an unknown key id, at most once a minute`() async throws {
        issuer.publish("a")
        let source = try issuer.source()
        #expect(await fault(source, "a") == nil)
        // The issuer has begun to use a new key.
        issuer.publish("a", "b")
        #expect(await fault(source, "b") == nil)
        #expect(issuer.asked == 2)
        for id in 0..<100 { #expect(await fault(source, "made up \(id)") == .unknownKey) }
        #expect(issuer.asked == 2)
        issuer.advance(60)
        for id in 0..<100 { #expect(await fault(source, "made up \(id)") == .unknownKey) }
        #expect(issuer.asked == 3)
    }

    @Test func `known keys stay valid for a limited time while the issuer's responses are missing or invalid`()
        async throws
    {
        issuer.publish("a", age: 600)
        let source = try issuer.source()
        #expect(await fault(source, "a") == nil)
        issuer.fail()
        issuer.advance(3600)
        #expect(await fault(source, "a") == nil)
        #expect(await fault(source, "b") == .unknownKey)
        #expect(issuer.asked == 2)
        issuer.answer("<html>down for maintenance</html>")
        issuer.advance(60)
        #expect(await fault(source, "a") == nil)
        #expect(await fault(source, "b") == .unknownKey)
        #expect(issuer.asked == 3)
        issuer.advance(86_400)
        #expect(await fault(source, "a") == .keysUnavailable)
        issuer.publish("a")
        issuer.advance(60)
        #expect(await fault(source, "a") == nil)
    }

    @Test func `keys that cannot be fetched again are used for at most a day`() async throws {
        issuer.publish("a")
        let source = try issuer.source()
        #expect(await fault(source, "a") == nil)
        issuer.fail()
        issuer.advance(86_400)
        #expect(await fault(source, "a") == nil)
        issuer.advance(0.25)
        #expect(await fault(source, "a") == .keysUnavailable)
    }

    @Test func `a failed fetch of known keys is retried once a minute`() async throws {
        let source = try await expiredSource()
        issuer.advance(59.75)
        #expect(await fault(source, "a") == nil)
        #expect(issuer.asked == 2)
        issuer.advance(0.25)
        #expect(await fault(source, "a") == nil)
        await issuer.untilAsked()
        // Waits for the fetch, if it has not ended.
        #expect(await fault(source, "b") == .unknownKey)
        #expect(issuer.asked == 3)
        // The elapsed time is unknown after the clock was set back.
        issuer.advance(-1)
        #expect(await fault(source, "b") == .unknownKey)
        #expect(issuer.asked == 4)
    }

    @Test func `a caller gets an expired key without waiting for a retried fetch, until new keys arrive`() async throws
    {
        let source = try await expiredSource()
        issuer.publish("b")
        issuer.hold()
        issuer.advance(60)
        // The issuer hangs, and this caller does not.
        #expect(await fault(source, "a") == nil)
        await issuer.untilAsked()
        #expect(await fault(source, "a") == nil)
        let patient = Task { await fault(source, "b") }
        issuer.release()
        #expect(await patient.value == nil)
        #expect(await fault(source, "a") == .unknownKey)
        #expect(issuer.asked == 3)
    }

    @Test func `a failed first fetch of keys is retried at most every five seconds`() async throws {
        let source = try issuer.source()
        for (seconds, asked) in [(0, 1), (4.75, 1), (0.25, 2), (4.75, 2), (0.25, 3)] {
            issuer.advance(seconds)
            #expect(await fault(source, "a") == .keysUnavailable)
            #expect(issuer.asked == asked)
        }
    }

    @Test func `a JWK source has the documented limits by default`() {
        var limits = JWKSource.Limits()
        limits.age = 60...86_400
        limits.defaultAge = 300
        limits.interval = 60
        limits.initialInterval = 5
        limits.maximumStaleness = 86_400
        #expect(limits == JWKSource.Limits())
    }

    @Test(arguments: [false, true])
    func `a withdrawn key is trusted for at most the maximum age of the response`(failsFirst: Bool) async throws {
        let source = try issuer.source()
        if failsFirst {
            #expect(await fault(source, "a") == .keysUnavailable)
            issuer.advance(5)
        }
        issuer.publish("a", "b", age: 600)
        #expect(await fault(source, "a") == nil)
        issuer.publish("b")
        issuer.advance(599)
        #expect(await fault(source, "a") == nil)
        issuer.advance(1)
        #expect(await fault(source, "a") == .unknownKey)
        #expect(await fault(source, "b") == nil)
    }

    @Test(arguments: [(nil, 300.0), (0, 60), (59, 60), (1e9, 86_400), (900, 900)] as [(Double?, Double)])
    func `keys are kept for the response's maximum age, within limits`(age: Double?, kept: Double) async throws {
        issuer.publish("a", age: age)
        let source = try issuer.source()
        #expect(await fault(source, "a") == nil)
        issuer.advance(kept - 1)
        #expect(await fault(source, "a") == nil)
        #expect(issuer.asked == 1)
        issuer.advance(1)
        #expect(await fault(source, "a") == nil)
        #expect(issuer.asked == 2)
    }

    @Test func `a caller gets an error for unavailable keys until a fetch succeeds`() async throws {
        let source = try issuer.source()
        #expect(await fault(source, "a") == .keysUnavailable)
        issuer.publish("a")
        #expect(await fault(source, "a") == .keysUnavailable)
        #expect(issuer.asked == 1)
        issuer.advance(5)
        #expect(await fault(source, "a") == nil)
    }

    @Test func `a JWK source accepts only HTTPS and loopback URLs`() throws {
        for text in [
            "https://issuer.example/keys", "http://localhost:8080/k", "http://127.0.0.1/k", "http://[::1]:1/k",
        ] {
            let url = try #require(URL(string: text))
            #expect(throws: Never.self) { try JWKSource(url, now: { 0 }) { _ in JWKSetResponse(body: []) } }
        }
        for text in [
            "http://issuer.example/keys", "http://127.0.0.1.evil.example/k", "file:///etc/passwd", "ftp://localhost/k",
        ] {
            let url = try #require(URL(string: text))
            #expect(throws: JWKSource.UnsafeAddress.self) {
                try JWKSource(url, now: { 0 }) { _ in JWKSetResponse(body: []) }
            }
        }
    }

    @Test(
        arguments: [
            ("public, max-age=300", 300), ("MAX-AGE=60", 60), ("no-store", 0), ("no-cache, max-age=9", 0),
            ("private", nil), (nil, nil), ("max-age=", nil), ("max-age=soon", nil), ("max-age=nan", nil),
            ("max-age=inf", nil), ("max-age=-1", nil), ("max-age=1e3", nil), ("max-age=0x10", nil),
            ("max-age=1:0", nil),
        ] as [(String?, Double?)]
    )
    func `the maximum age of a key set is read from the Cache-Control field`(field: String?, age: Double?) {
        #expect(JWKSetResponse.maximumAge(cacheControl: field) == age)
    }
}
