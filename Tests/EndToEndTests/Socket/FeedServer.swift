// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import Testing

@testable import freshet

/// `freshet serve` for BitBasel's app, with a feed that counts; it can be killed and started again.
final class FeedServer: Sendable {
    let folder: URL
    private let apple = AppleIdentityTokens(audience: "com.example.bitbasel")

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "freshet-feed-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts it on a port, or on a free one.
    func start(port: Int = 0, accessTTL: String) async throws -> (process: ChildProcess, address: URL) {
        let process = try ChildProcess(
            [
                "serve", "--port", "\(port)", "--until-stdin-closes", "--data", folder.appending(path: "data").path,
                "--access-ttl", accessTTL, "--contract", RunningServer.contract("bitbasel"), "--feed-clock", "50ms",
            ] + apple.options(in: folder),
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
        try await session.signIn(.appleIdentityToken(try apple.token()))
        return session
    }
}
