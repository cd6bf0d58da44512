// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import NIOCore
import NIOEmbedded
import NIOWebSocket
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetIdentity

/// An open socket on a clock that the test moves.
@Suite(.timeLimit(.minutes(5)))
struct `A socket's clocks` {
    private let log = CapturedLog()
    private let limits = SocketLimits()
    private let hub = SocketHub(SocketLimits())
    private let claims = AccessClaims(
        user: UUID(),
        session: .random(),
        issuedAt: Timestamp(milliseconds: 0),
        expiresAt: Timestamp(milliseconds: 3_600_000)
    )

    /// A socket that is open, behind its first word.
    private func open(listener: SocketListener? = nil) async throws -> NIOAsyncTestingChannel {
        let bearer = BearerAuthentication(
            verifier: try AccessTokenVerifier(keys: [], issuer: "", audience: ""),
            ended: RevokedSessionCache(maximumTokenLifetime: .seconds(1)),
            clock: { Timestamp(milliseconds: 0) }
        )
        let endpoint = SocketEndpoint(
            policy: try .native(),
            bearer: bearer,
            isAlive: { _ in true },
            hub: hub,
            origins: [],
            listener: listener,
            log: log.logger
        )
        let place = try hub.take(claims, at: nil)
        let channel = try await NIOAsyncTestingChannel { [claims] channel in
            try channel.pipeline.syncOperations.addHandler(SocketConnection(endpoint, place, claims))
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        #expect(try await channel.waitForOutboundWrite(as: WebSocketFrame.self).opcode == .text)
        return channel
    }

    private func say(_ opcode: WebSocketOpcode, _ text: String = "", to channel: NIOAsyncTestingChannel) async throws {
        let key: WebSocketMaskingKey = [1, 2, 3, 4]
        var data = ByteBuffer(string: text)
        data.webSocketMask(key)
        try await channel.writeInbound(WebSocketFrame(fin: true, opcode: opcode, maskKey: key, data: data))
    }

    private func wait(_ span: Duration, _ channel: NIOAsyncTestingChannel) async {
        await channel.testingEventLoop.advanceTime(by: .milliseconds(span.milliseconds))
    }

    /// The opcodes of the frames written since the last call.
    private func written(_ channel: NIOAsyncTestingChannel) async throws -> [WebSocketOpcode] {
        var opcodes: [WebSocketOpcode] = []
        while let frame = try await channel.readOutbound(as: WebSocketFrame.self) { opcodes.append(frame.opcode) }
        return opcodes
    }

    @Test func `a client that sends pongs stays connected, and a silent client is disconnected`() async throws {
        let channel = try await open()
        for _ in 1...10 {
            await wait(limits.pingInterval, channel)
            #expect(try await written(channel) == [.ping])
            try await say(.pong, to: channel)
        }
        await wait(limits.pingInterval, channel)
        #expect(try await written(channel) == [.ping])
        #expect(channel.isActive)
        await wait(limits.pingInterval, channel)
        #expect(!channel.isActive)
        #expect(log.lines.last?["reason"] == "silent")
        #expect(log.lines.last?["duration_ms"] == "360000")
        #expect(hub.principals.isEmpty)
    }

    @Test func `a socket waits a limited time for the client's close frame, and ignores late messages`() async throws {
        let (slow, quick) = (try await open(), try await open())
        hub.end([claims.session], .revokedByUser)
        for channel in [slow, quick] {
            #expect(try await channel.waitForOutboundWrite(as: WebSocketFrame.self).opcode == .text)
            #expect(try await channel.waitForOutboundWrite(as: WebSocketFrame.self).opcode == .connectionClose)
        }
        // A message that was under way is of no interest any more.
        try await say(.text, "late", to: quick)
        #expect(quick.isActive)
        try await say(.connectionClose, to: quick)
        #expect(!quick.isActive)
        await wait(limits.closeTimeout - .milliseconds(1), slow)
        #expect(slow.isActive)
        await wait(.milliseconds(1), slow)
        #expect(!slow.isActive)
    }

    @Test func `a client that has used up its burst can send one message per interval`() async throws {
        let channel = try await open()
        for _ in 1...limits.burst { try await say(.ping, to: channel) }
        #expect(try await written(channel) == Array(repeating: .pong, count: limits.burst))
        await wait(limits.messageInterval, channel)
        try await say(.ping, to: channel)
        #expect(try await written(channel) == [.pong])
        try await say(.ping, to: channel)
        #expect(try await written(channel) == [.connectionClose])
        _ = try await channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `a socket waits for a slow listener without a silence timeout, and loses no message`() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: SocketMessage.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let channel = try await open { message, _ in
            beginning.yield(message)
            var turns = released.makeAsyncIterator()
            await turns.next()
        }
        var messages = begun.makeAsyncIterator()
        for number in 1...3 { try await say(.text, "\(number)", to: channel) }
        try await say(.connectionClose, to: channel)
        var next = await messages.next()
        #expect(next == .text("1"))
        // Nothing is read while the listener works; so nothing can be heard either.
        channel.read()
        await wait(limits.silenceTimeout * 3, channel)
        #expect(channel.isActive)
        for number in 2...3 {
            release.yield()
            next = await messages.next()
            #expect(next == .text("\(number)"))
        }
        release.yield()
        // The messages before the close frame were delivered; now it is answered, after the pings of that time.
        while try await channel.waitForOutboundWrite(as: WebSocketFrame.self).opcode != .connectionClose {}
        try await channel.closeFuture.get()
    }
}
