// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetJWT
import FreshetWire
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Apple's keys behind an address` {
    private let now = NIOLockedValueBox(Timestamp(milliseconds: 1_800_000_000_000))

    private struct Down: Error {}

    private func advance(_ seconds: Int) { now.withLockedValue { $0 = $0 + .seconds(seconds) } }

    @Test func `are kept for an hour, and fetched once a minute at most for an id that nobody knows`() async throws {
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

    @Test func `are fetched once for all who wait for them`() async throws {
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

    @Test func `that never came are asked for again, a little later`() async throws {
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

    @Test func `come over loopback, follow no redirect and are not read for ever`() async throws {
        let apple = try await AppleUnderTest()
        let keys = try apple.keySet()
        let router = Router()
        router.get("keys") { _, _ in Response(status: .ok, body: .init(byteBuffer: .init(bytes: keys))) }
        router.get("moved") { _, _ in Response(status: .found, headers: [.location: "/keys"]) }
        router.get("large") { _, _ in
            Response(status: .ok, body: .init(byteBuffer: .init(repeating: 32, count: AppleKeys.maximumBytes + 1)))
        }
        let pages = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        let server = ServerUnderTest()
        try await pages.test(.ahc(.http)) { client async throws in
            let address = "http://127.0.0.1:\(try #require(client.port))"
            for path in ["moved", "large", "nothing"] {
                let url = try #require(URL(string: "\(address)/\(path)"))
                await #expect(throws: AppleKeys.Unreachable.self) { try await AppleKeys.fetch(url) }
            }
            // The whole way: a server that is told the address signs somebody in.
            var configuration = server.configuration
            configuration.appleKeys = URL(string: "\(address)/keys")
            configuration.appleAudiences = [AppleUnderTest.app]
            try await server.run(configuration) { caller async throws in
                for kid in ["rsa", "ec"] {
                    let nonce: AppleNonce = try await caller.send(.post, NativePath.loginAppleNonce).json()
                    var claims = AppleUnderTest.Claims()
                    claims.nonce = AppleUnderTest.digest(nonce.nonce)
                    let credentials = AppleCredentials(
                        identityToken: try await apple.token(claims, kid: kid),
                        nonce: nonce.nonce
                    )
                    #expect(try await caller.post(NativePath.loginApple, credentials).status == 200)
                }
            }
        }
    }

    @Test(arguments: [
        ("https://appleid.apple.com/auth/keys", true), ("http://127.0.0.1:8080/keys", true), ("http://[::1]/", true),
        ("http://localhost/", true), ("http://appleid.apple.com/auth/keys", false), ("ftp://127.0.0.1/", false),
        ("https://a@b/", false), ("http://127.0.0.1.example.com/", false),
    ])
    func `are taken from where nobody on the way can change them`(text: String, isSafe: Bool) throws {
        #expect(AppleKeys.isSafe(try #require(URL(string: text))) == isSafe)
    }
}
