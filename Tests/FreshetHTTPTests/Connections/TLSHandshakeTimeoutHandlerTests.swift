// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import FreshetHTTP

/// A connection before and behind its handshake, on a clock that the test moves.
@Suite struct `A handshake's guard` {
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: TLSHandshakeTimeoutHandler(.seconds(10)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    @Test func `a connection is closed when its TLS handshake times out, and not before`() throws {
        let channel = try connection()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(9999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func `a connection in its TLS handshake is closed immediately when the server stops`() throws {
        let channel = try connection()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!channel.isActive)
    }

    /// A request may be under way then.
    @Test(arguments: [nil, "h2", "http/1.1"])
    func `a connection with a complete TLS handshake stays open, even when the server stops`(version: String?) throws {
        let channel = try connection()
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: version))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}
