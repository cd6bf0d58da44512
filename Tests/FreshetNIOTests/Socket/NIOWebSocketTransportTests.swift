// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Testing

@testable import FreshetNIO

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport against a real server on this machine.
@Suite(.timeLimit(.minutes(5))) struct `NIO WebSocket transport` {
    let transport = NIOWebSocketTransport()

    func connect(
        _ server: WebSocketServer,
        _ path: String,
        protocols: [String] = [],
        limits: WebSocketLimits = WebSocketLimits()
    ) async throws -> any WebSocketConnection {
        try await transport.connect(
            URLRequest(url: try #require(URL(string: "ws://127.0.0.1:\(server.port)\(path)"))),
            protocols: protocols,
            limits: limits
        )
    }

    /// The error of a handshake, or of a reading.
    func failure<Value>(_ operation: () async throws -> Value) async -> WebSocketError? {
        do {
            _ = try await operation()
            return nil
        } catch { return error as? WebSocketError }
    }

    @Test func `text and binary messages are sent and received, and the client masks its frames`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/echo?token=a%2Bb")
        for message in [WebSocketMessage.text("grüße"), .data(Data([0, 1, 255])), .text(""), .data(Data())] {
            try await connection.send(message)
            #expect(try await connection.receive() == message)
        }
        var frames = server.frames.makeAsyncIterator()
        // The server marks what was not masked.
        #expect(await frames.next()?.rsv1 == false)
        var heads = server.heads.makeAsyncIterator()
        #expect(await heads.next()?.uri == "/echo?token=a%2Bb")
        await connection.close(code: 1000)
        await server.stop()
    }

    @Test func `a large message is sent and received whole`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/echo")
        let large = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        async let sending: Void = connection.send(.data(large))
        #expect(try await connection.receive() == .data(large))
        try await sending
        await connection.close(code: 1000)
        await server.stop()
    }

    @Test func `fragments with a ping between them become one message, and the ping gets a pong`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/raw")
        let peer = try #require(await server.connection())
        try await peer.sendFrame(.text, "one ", fin: false)
        try await peer.sendFrame(.continuation, "and ", fin: false)
        try await peer.sendFrame(.ping, "alive?")
        try await peer.sendFrame(.continuation, "two")
        #expect(try await connection.receive() == .text("one and two"))
        var frames = server.frames.makeAsyncIterator()
        let pong = try #require(await frames.next())
        #expect(pong.opcode == .pong)
        #expect(String(buffer: pong.data) == "alive?")
        await connection.close(code: 1000)
        await server.stop()
    }

    @Test func `a ping completes with its pong, and fails on a closed connection`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/echo")
        try await connection.ping()
        await connection.close(code: 1000)
        #expect(await failure { try await connection.ping() } == .lost)
        await server.stop()
    }

    @Test(arguments: [1000, 1001, 1008, 1011, 3000, 4401, 4999])
    func `the server's close code is reported, after the messages before it`(
        code: Int
    ) async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/raw")
        let peer = try #require(await server.connection())
        try await peer.sendFrame(.text, "last words")
        try await peer.sendClose(UInt16(code))
        #expect(try await connection.receive() == .text("last words"))
        #expect(await failure { try await connection.receive() } == .closed(code: code))
        // It is answered (RFC 6455 section 5.5.1).
        var frames = server.frames.makeAsyncIterator()
        let answer = try #require(await frames.next())
        #expect(answer.opcode == .connectionClose)
        #expect(answer.data.getInteger(at: 0, as: UInt16.self).map(Int.init) == code)
        await server.stop()
    }

    @Test func `a client sends its close code, and waits a limited time for the server's close frame`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/raw", limits: WebSocketLimits(closeDeadline: .milliseconds(50)))
        await connection.close(code: 1001)
        var frames = server.frames.makeAsyncIterator()
        #expect(await frames.next()?.data.getInteger(at: 0, as: UInt16.self) == 1001)
        #expect(await failure { try await connection.receive() } == .lost)
        #expect(await failure { try await connection.send(.text("too late")) } == .lost)
        await connection.close(code: 1000)
        await server.stop()
    }

    @Test(arguments: [401, 403, 404, 429, 503, 302]) func `a refused handshake reports its status and body`(
        status: Int
    ) async throws {
        let server = try await WebSocketServer.start()
        guard case .refused(let refusal) = await failure({ try await connect(server, "/refuse/\(status)") }) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.status == status)
        #expect(String(decoding: refusal.body, as: UTF8.self) == #"{"detail":"expired"}"#)
        #expect(refusal.headers["Content-Type"] == "application/json")
        await server.stop()
    }

    @Test func `the body of a refused handshake is kept up to a limit`() async throws {
        let server = try await WebSocketServer.start()
        guard case .refused(let refusal) = await failure({ try await connect(server, "/refuse/401/long") }) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.body.count == WebSocketRefusal.largestBody)
        await server.stop()
    }

    @Test func `a handshake without a response fails at its deadline`() async throws {
        let server = try await WebSocketServer.start()
        let limits = WebSocketLimits(handshakeDeadline: .milliseconds(100))
        #expect(await failure { try await connect(server, "/hang", limits: limits) } == .lost)
        await server.stop()
    }

    @Test func `a cancelled handshake ends immediately`() async throws {
        let server = try await WebSocketServer.start()
        let attempt = Task {
            try await connect(server, "/hang", limits: WebSocketLimits(handshakeDeadline: .seconds(600)))
        }
        for await _ in server.heads { break }
        attempt.cancel()
        await #expect(throws: WebSocketError.lost) { try await attempt.value }
        await server.stop()
    }

    @Test func `an unreachable server is a network error`() async throws {
        let server = try await WebSocketServer.start()
        await server.stop()
        #expect(await failure { try await connect(server, "/echo") } == .lost)
    }

    @Test func `a reset connection is reported as lost after its earlier messages`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/raw")
        let peer = try #require(await server.connection())
        try await peer.sendFrame(.text, "last words")
        #expect(try await connection.receive() == .text("last words"))
        let options = try #require(peer as? any SocketOptionProvider)
        try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await peer.close()
        #expect(await failure { try await connection.receive() } == .lost)
        #expect(await failure { try await connection.ping() } == .lost)
        await server.stop()
    }

    /// Invalid frames, and the close code with which the client answers.
    @Test(
        arguments: [
            (name: "a reserved bit", bytes: [0xC1, 0x01, 0x61], code: 1002),
            (name: "a masked frame", bytes: [0x81, 0x81, 1, 2, 3, 4, 0x61], code: 1002),
            (name: "an unknown opcode", bytes: [0x83, 0x00], code: 1002),
            (name: "a fragmented ping", bytes: [0x09, 0x00], code: 1002),
            (name: "a continuation of nothing", bytes: [0x80, 0x00], code: 1002),
            (name: "text that is no UTF-8", bytes: [0x81, 0x01, 0xFF], code: 1007),
            (name: "a goodbye of one byte", bytes: [0x88, 0x01, 0x03], code: 1002),
            (name: "a code that must not be sent", bytes: [0x88, 0x02, 0x03, 0xED], code: 1002),
            (name: "a long message", bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 0x20, 0, 0], code: 1009),
        ] as [(name: String, bytes: [UInt8], code: Int)]
    )
    func `an invalid frame ends the connection with the close code of its fault`(
        fault: (name: String, bytes: [UInt8], code: Int)
    ) async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/raw")
        let peer = try #require(await server.connection())
        try await peer.sendRaw(fault.bytes)
        #expect(await failure { try await connection.receive() } == (fault.code == 1009 ? .messageTooLong : .lost))
        var frames = server.frames.makeAsyncIterator()
        #expect(await frames.next()?.data.getInteger(at: 0, as: UInt16.self).map(Int.init) == fault.code)
        await server.stop()
    }

    @Test func `fragments that exceed the message limit end the connection`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/raw", limits: WebSocketLimits(maximumMessage: 1000))
        let peer = try #require(await server.connection())
        try await peer.sendFrame(.text, String(repeating: "x", count: 600), fin: false)
        try await peer.sendFrame(.continuation, String(repeating: "x", count: 600))
        #expect(await failure { try await connection.receive() } == .messageTooLong)
        await server.stop()
    }

    @Test func `a response that is not HTTP fails the handshake immediately`() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.pipeline.addHandler(Greeting())
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = try #require(URL(string: "ws://127.0.0.1:\(listener.localAddress?.port ?? 0)/"))
        // At once, not when patience ends.
        let limits = WebSocketLimits(handshakeDeadline: .seconds(600))
        let error = await failure {
            try await transport.connect(URLRequest(url: url), protocols: [], limits: limits)
        }
        #expect(error == .lost)
        try await listener.close()
    }

    @Test func `a message that arrives together with the handshake response is received`() async throws {
        let server = try await WebSocketServer.start()
        // The frame is 7 bytes long.
        let relay = try await CoalescingRelay.start(to: server.port, holding: 7)
        let url = try #require(URL(string: "ws://127.0.0.1:\(relay.port)/raw"))
        async let connecting = transport.connect(URLRequest(url: url), protocols: [], limits: WebSocketLimits())
        try await #require(await server.connection()).sendFrame(.text, "first")
        let connection = try await connecting
        #expect(try await connection.receive() == .text("first"))
        await connection.close(code: 1000)
        await relay.stop()
        await server.stop()
    }

    @Test func `a close code that arrives together with the handshake response is reported`() async throws {
        let server = try await WebSocketServer.start()
        let relay = try await CoalescingRelay.start(to: server.port, holding: .max)
        let url = try #require(URL(string: "ws://127.0.0.1:\(relay.port)/raw"))
        async let connecting = transport.connect(URLRequest(url: url), protocols: [], limits: WebSocketLimits())
        let peer = try #require(await server.connection())
        try await peer.sendFrame(.text, "sorry")
        try await peer.sendClose(4401)
        try await peer.close()
        let connection = try await connecting
        #expect(try await connection.receive() == .text("sorry"))
        #expect(await failure { try await connection.receive() } == .closed(code: 4401))
        await relay.stop()
        await server.stop()
    }

    @Test func `a server's subprotocol is accepted only if the client offered it`() async throws {
        let server = try await WebSocketServer.start(protocol: "feed.v2")
        let connection = try await connect(server, "/echo", protocols: ["feed.v1", "feed.v2"])
        var heads = server.heads.makeAsyncIterator()
        #expect(await heads.next()?.headers["Sec-WebSocket-Protocol"] == ["feed.v1, feed.v2"])
        await connection.close(code: 1000)
        #expect(await failure { try await connect(server, "/echo", protocols: ["feed.v1"]) } == .lost)
        await server.stop()
    }

    @Test func `an extension that the client did not offer ends the handshake`() async throws {
        let server = try await WebSocketServer.start()
        #expect(await failure { try await connect(server, "/extend") } == .lost)
        await server.stop()
    }

    @Test func `a client stops reading from the connection while its caller receives no messages`() async throws {
        let server = try await WebSocketServer.start()
        let connection = try await connect(server, "/raw")
        let peer = try #require(await server.connection())
        // The system's buffers take some megabytes; then the server's writing waits.
        let text = String(repeating: "x", count: 1 << 16)
        let written = Locked(0)
        let writing = Task {
            for _ in 0..<256 {
                try await peer.sendFrame(.text, text)
                written.withLock { $0 += 1 }
            }
        }
        // Another connection's round trips stand for time: enough for all of it, if somebody read.
        let other = try await connect(server, "/echo")
        for _ in 0..<200 { try await other.ping() }
        #expect(written.withLock { $0 } < 256)
        for _ in 0..<256 { #expect(try await connection.receive() == .text(text)) }
        try await writing.value
        for connection in [connection, other] { await connection.close(code: 1000) }
        await server.stop()
    }
}

/// A server of another kind, which speaks first.
private final class Greeting: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(NIOAny(ByteBuffer(string: "SSH-2.0-OpenSSH\r\n\r\n")), promise: nil)
    }
}
