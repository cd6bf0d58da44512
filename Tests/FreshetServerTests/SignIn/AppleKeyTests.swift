// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import IdentityFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Apple's keys behind an address` {
    @Test func `Apple's keys are fetched over loopback HTTP, without redirects and with a size limit`() async throws {
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
}
