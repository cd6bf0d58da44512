// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetContract
import FreshetTesting
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The feed of an app whose server answers an ended token with 403 at the handshake.
@Suite(.timeLimit(.minutes(5))) struct `BitBasel's feed` {
    let stage = AppFixture(.bitbasel)
    let transport = ManualWebSocketTransport()

    @Test func `a socket sends its token in the query, and refreshes the token after a 403 response to the handshake`()
        async throws
    {
        let session = try await stage.signedIn()
        let socket = try session.socket(configuration: .quiet, transport: transport)
        async let texts = socket.messages.prefix(2).reduce(into: [String?]()) { $0.append($1.text) }
        let first = try await transport.next()
        #expect(first.request.url?.path == "/ws/feed")
        #expect(first.queryItem("token") == (try await session.accessToken().value))
        first.refuse(403, headers: ["Content-Type": "application/json"], body: #"{"detail":"Forbidden"}"#)
        let second = try await transport.next()
        #expect(second.queryItem("token") != first.queryItem("token"))
        #expect(second.queryItem("token") == (try await session.accessToken().value))
        let connection = second.accept()
        connection.deliver(#"{"post":1}"#)
        connection.deliver(#"{"post":2}"#)
        #expect(await texts == [#"{"post":1}"#, #"{"post":2}"#])
        #expect(stage.backend.exchanges.count { $0.endpoint == .refresh } == 1)
    }

    @Test func `a 403 response means forbidden over HTTP and an expired token over a socket`() async throws {
        let session = try await stage.signedIn()
        #expect(session.contract.classify(HTTPReply(status: 403), on: .api) == .forbidden)
        #expect(session.contract.classify(HTTPReply(status: 403), on: .socket) == .accessExpired)
    }

    @Test func `a token that expired while the socket was disconnected is refreshed before the reconnect`() async throws
    {
        let session = try await stage.signedIn()
        var configuration = SocketConfiguration.quiet
        // The socket wakes at the token's end, and not before it.
        let end = stage.backend.settings.accessLifetime + .seconds(1)
        configuration.backoff = RetryBackoff(first: end, limit: end)
        let socket = try session.socket(configuration: configuration, transport: transport)
        await socket.connect()
        let first = try await transport.next()
        first.accept().lose()
        _ = await socket.untilWaiting()
        stage.expire()
        let second = try await transport.next()
        #expect(second.queryItem("token") != first.queryItem("token"))
        #expect(second.queryItem("token") == (try await session.accessToken().value))
        #expect(stage.backend.exchanges.count { $0.endpoint == .refresh } == 1)
    }
}
