// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOCore
import NIOPosix
import Testing

/// A WebSocket client that writes its own bytes, so that it can also do what no client should.
actor SocketClient {
    /// The response to an opening handshake.
    struct Answer: Sendable {
        var status: Int
        /// By names in lower case.
        var headers: [String: String]
        var body: String
    }

    enum Event: Equatable, Sendable {
        case text(String)
        case binary([UInt8])
        case ping
        case pong([UInt8])
        case close(Int?, String)
        /// The connection's end.
        case end
    }

    /// Hands on what arrives.
    private final class Tap: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        let arrived: AsyncStream<ByteBuffer>.Continuation

        init(_ arrived: AsyncStream<ByteBuffer>.Continuation) { self.arrived = arrived }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { arrived.yield(unwrapInboundIn(data)) }
        func channelInactive(context: ChannelHandlerContext) { arrived.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    let channel: any Channel
    private let arrivals: AsyncStream<ByteBuffer>
    private var bytes = ByteBuffer()

    private init(_ channel: any Channel, _ arrivals: AsyncStream<ByteBuffer>) {
        self.channel = channel
        self.arrivals = arrivals
    }

    static func connect(_ port: Int) async throws -> SocketClient {
        let (arrivals, arrived) = AsyncStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Tap(arrived)) }
            }
            .connect(host: "localhost", port: port).get()
        return SocketClient(channel, arrivals)
    }

    // MARK: - HTTP

    func write(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

    /// The text of a handshake as a client should write it.
    static func handshake(_ path: String, _ fields: [String: String] = [:], leaving left: Set<String> = []) -> String {
        var all = [
            "Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        for name in left { all[name] = nil }
        all.merge(fields) { $1 }
        return "GET \(path) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    }

    /// Asks for a socket, and reads the answer.
    func open(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
        write(Self.handshake(path, fields))
        return try await answer()
    }

    /// Reads one answer.
    func answer() async throws -> Answer {
        var end = bytes.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))
        while end == nil {
            try #require(await more(), "the connection ended without an answer")
            end = bytes.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))
        }
        let length = try #require(end).upperBound - bytes.readerIndex
        let head = bytes.readString(length: length)
        let lines = try #require(head).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
        }
        let size = headers["content-length"].flatMap { Int($0) } ?? 0
        while bytes.readableBytes < size { try #require(await more(), "the body ended early") }
        let text = bytes.readString(length: size)
        let body = try #require(text)
        let status = try #require(lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return Answer(status: status, headers: headers, body: body)
    }

    // MARK: - Frames

    func say(_ text: String) { send(1, Array(text.utf8)) }

    /// Sends one frame, masked unless told otherwise.
    func send(_ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true, isMasked: Bool = true, reserved: UInt8 = 0) {
        channel.writeAndFlush(
            Self.frame(opcode, payload, isLast: isLast, isMasked: isMasked, reserved: reserved),
            promise: nil
        )
    }

    static func frame(
        _ opcode: UInt8,
        _ payload: [UInt8],
        isLast: Bool = true,
        isMasked: Bool = true,
        reserved: UInt8 = 0
    ) -> ByteBuffer {
        var frame = ByteBuffer(integer: (isLast ? 0x80 : 0) | reserved << 4 | opcode)
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ...125: frame.writeInteger(mask | UInt8(payload.count))
        case ...0xFFFF:
            frame.writeInteger(mask | 126)
            frame.writeInteger(UInt16(payload.count))
        default:
            frame.writeInteger(mask | 127)
            frame.writeInteger(UInt64(payload.count))
        }
        guard isMasked else {
            frame.writeBytes(payload)
            return frame
        }
        let key: [UInt8] = [7, 42, 0, 201]
        frame.writeBytes(key)
        frame.writeBytes(payload.enumerated().map { $1 ^ key[$0 % 4] })
        return frame
    }

    func close(_ code: UInt16) { send(8, [UInt8(code >> 8), UInt8(code & 0xFF)]) }

    func disconnect() { channel.close(promise: nil) }

    /// The next frame, or the end.
    func nextFrame() async -> Event {
        while true {
            if let event = readFrame() { return event }
            guard await more() else { return .end }
        }
    }

    /// The next event that is no ping; pings are answered on the way, and so is a close.
    func next() async -> Event {
        while true {
            let event = await nextFrame()
            switch event {
            case .ping: send(10, [])
            case .close(let code, _):
                close(UInt16(code ?? 1000))
                return event
            default: return event
            }
        }
    }

    /// All that comes until the connection's end, without pings and the end itself.
    func rest() async -> [Event] {
        var events: [Event] = []
        while true {
            let event = await next()
            if event == .end { return events }
            events.append(event)
        }
    }

    private func readFrame() -> Event? {
        var rest = bytes
        guard let first = rest.readInteger(as: UInt8.self), let second = rest.readInteger(as: UInt8.self) else {
            return nil
        }
        // RFC 6455 section 5.1: a server never masks; nor does ours use fragments.
        #expect(second & 0x80 == 0)
        #expect(first & 0xF0 == 0x80)
        var length = Int(second & 0x7F)
        if length == 126 {
            guard let long = rest.readInteger(as: UInt16.self) else { return nil }
            length = Int(long)
        } else if length == 127 {
            guard let long = rest.readInteger(as: UInt64.self) else { return nil }
            length = Int(long)
        }
        guard let payload = rest.readBytes(length: length) else { return nil }
        bytes = rest
        switch first & 0x0F {
        case 1: return .text(String(decoding: payload, as: UTF8.self))
        case 2: return .binary(payload)
        case 8:
            guard payload.count >= 2 else { return .close(nil, "") }
            return .close(Int(payload[0]) << 8 | Int(payload[1]), String(decoding: payload.dropFirst(2), as: UTF8.self))
        case 9: return .ping
        default: return .pong(payload)
        }
    }

    private func more() async -> Bool {
        var iterator = arrivals.makeAsyncIterator()
        guard var buffer = await iterator.next(isolation: #isolation) else { return false }
        bytes.writeBuffer(&buffer)
        return true
    }
}
