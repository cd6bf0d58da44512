// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetJWT
import IdentityFixtures
import NIOConcurrencyHelpers
import Testing

@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(5)))
struct `Apple's keys behind an address` {
    private let now = NIOLockedValueBox(Timestamp(milliseconds: 1_800_000_000_000))

    private struct Down: Error {}

    private func advance(_ seconds: Int) { now.withLockedValue { $0 = $0 + .seconds(seconds) } }

    @Test func `Apple's keys are cached for an hour, and fetched at most once a minute for unknown ids`() async throws {
        let apple = try await AppleUnderTest()
        let fetches = NIOLockedValueBox(0)
        let isDown = NIOLockedValueBox(false)
        let cache = AppleKeyCache(
            fetch: {
                fetches.withLockedValue { $0 += 1 }
                if isDown.withLockedValue({ $0 }) { throw Down() }
                return try apple.keySet()
            },
            clock: { [now] in now.withLockedValue { $0 } }
        )
        func count() -> Int { fetches.withLockedValue { $0 } }
        #expect(try await cache.keys(knowing: "rsa")["rsa"] != nil)
        for _ in 1...5 { _ = try await cache.keys(knowing: "ec") }
        for _ in 1...5 { #expect(try await cache.keys(knowing: "made up")["made up"] == nil) }
        #expect(count() == 1)
        advance(61)
        for _ in 1...5 { _ = try await cache.keys(knowing: "made up") }
        #expect(count() == 2)
        advance(3601)
        isDown.withLockedValue { $0 = true }
        // Old keys rather than none.
        for _ in 1...3 { #expect(try await cache.keys(knowing: "rsa")["rsa"] != nil) }
        #expect(count() == 3)
        advance(61)
        isDown.withLockedValue { $0 = false }
        _ = try await cache.keys(knowing: "rsa")
        _ = try await cache.keys(knowing: "rsa")
        #expect(count() == 4)
    }

    @Test func `Apple's keys are fetched once for all waiting requests`() async throws {
        let apple = try await AppleUnderTest()
        let fetches = NIOLockedValueBox(0)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let cache = AppleKeyCache(
            fetch: {
                fetches.withLockedValue { $0 += 1 }
                for await _ in gate { break }
                return try apple.keySet()
            },
            clock: { [now] in
                arrived.yield()
                return now.withLockedValue { $0 }
            }
        )
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...8 { group.addTask { try await cache.keys(knowing: "rsa")["rsa"] != nil } }
            for await _ in arrivals.prefix(8) {}
            open.yield()
            for try await isThere in group { #expect(isThere) }
        }
        #expect(fetches.withLockedValue { $0 } == 1)
    }

    @Test func `a failed fetch of Apple's keys is retried, but only after a few seconds`() async throws {
        let fetches = NIOLockedValueBox(0)
        let cache = AppleKeyCache(
            fetch: {
                fetches.withLockedValue { $0 += 1 }
                throw Down()
            },
            clock: { [now] in now.withLockedValue { $0 } }
        )
        for _ in 1...3 { await #expect(throws: (any Error).self) { try await cache.keys(knowing: "rsa") } }
        #expect(fetches.withLockedValue { $0 } == 1)
        advance(6)
        await #expect(throws: (any Error).self) { try await cache.keys(knowing: "rsa") }
        #expect(fetches.withLockedValue { $0 } == 2)
    }

    @Test(arguments: [
        ("https://appleid.apple.com/auth/keys", true), ("http://127.0.0.1:8080/keys", true), ("http://[::1]/", true),
        ("http://localhost/", true), ("http://appleid.apple.com/auth/keys", false), ("ftp://127.0.0.1/", false),
        ("https://a@b/", false), ("http://127.0.0.1.example.com/", false),
    ])
    func `the address of Apple's keys must use HTTPS without credentials, or be on loopback`(text: String, isSafe: Bool)
        throws
    {
        #expect(AppleKeys.isSafe(try #require(URL(string: text))) == isSafe)
    }
}
