// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
import Foundation
import FreshetAsyncHTTPClient
import FreshetKit
import NIOCore
import NIOHTTP1

/// The same request by AsyncHTTPClient, with a token of its own and with a session's.
struct AsyncHTTPClientCalls: Sendable {
    private let client: HTTPClient
    private let transport: AsyncHTTPClientTransport
    private let request: HTTPClientRequest
    private let authorized: HTTPClientRequest
    private let session: AuthSession

    init(url: URL, token: String, session: AuthSession) throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        transport = AsyncHTTPClientTransport()
        request = HTTPClientRequest(url: url.absoluteString)
        var authorized = request
        authorized.headers.add(name: "Authorization", value: "Bearer \(token)")
        self.authorized = authorized
        self.session = session
    }

    func bare() async throws { try await collect(try await client.execute(authorized, timeout: .seconds(60))) }

    func withSession() async throws { try await collect(try await transport.execute(request, for: session)) }

    func shutDown() async throws {
        try await transport.shutdown()
        try await client.shutdown()
    }

    private func collect(_ answer: HTTPClientResponse) async throws {
        guard answer.status == .ok else { throw BenchmarkError("the responder answered \(answer.status)") }
        _ = try await answer.body.collect(upTo: 1 << 16)
    }
}
