// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetKit
import FreshetNIO
import FreshetWire
import Testing

@testable import freshet

/// `freshet serve` for BitBasel's app, with a feed that counts; it can be killed and started again.
final class FeedServer: Sendable {
    private static let app = "com.example.bitbasel"

    let folder: URL
    private let apple = P256.Signing.PrivateKey()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "freshet-feed-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let point = apple.publicKey.rawRepresentation
        let key = [
            "kty": "EC", "crv": "P-256", "kid": "a", "alg": "ES256", "use": "sig",
            "x": Base64URL.encode(point.prefix(32)), "y": Base64URL.encode(point.suffix(32)),
        ]
        try JSONSerialization.data(withJSONObject: ["keys": [key]]).write(to: folder.appending(path: "apple.json"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts it on a port, or on a free one.
    func start(port: Int = 0, accessTTL: String) async throws -> (process: ChildProcess, address: URL) {
        let process = try ChildProcess(
            [
                "serve", "--port", "\(port)", "--until-stdin-closes", "--data", folder.appending(path: "data").path,
                "--access-ttl", accessTTL, "--contract", RunningServer.contract("bitbasel"), "--feed-clock", "50ms",
                "--apple-audience", Self.app, "--apple-keys", folder.appending(path: "apple.json").path,
            ],
            program: RunningServer.program,
            environment: ["FRESHET_PASSWORD_COST": "10"],
            keepsInputOpen: true
        )
        let first = await process.lines.first { _ in true }
        let address = try #require(first?.split(separator: " ").last.flatMap { URL(string: String($0)) })
        return (process, address)
    }

    /// BitBasel's app, signed in with Apple.
    func signedIn(at address: URL) async throws -> AuthSession {
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.backoff.first = .milliseconds(20)
        let session = try AuthSession(
            contract: .named("bitbasel"),
            baseURL: address,
            store: InMemoryStore(),
            configuration: configuration,
            transport: NIOTransport()
        )
        try await session.signIn(.appleIdentityToken(try identityToken()))
        return session
    }

    private func identityToken() throws -> String {
        let now = Date().timeIntervalSince1970.rounded()
        let claims: [String: Any] = [
            "iss": "https://appleid.apple.com", "aud": Self.app, "sub": "001234.abcd.0001", "iat": now,
            "exp": now + 600,
        ]
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"a"}"#.utf8)
        let signed = try header + "." + Base64URL.encode(JSONSerialization.data(withJSONObject: claims))
        return signed + "." + Base64URL.encode(try apple.signature(for: Data(signed.utf8)).rawRepresentation)
    }
}
