// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A WebSocket server on a loopback port that does what the path says, and tells what it sees.
///
///     /echo             sends back what it gets       /refuse/401       answers the handshake with a status and a body
///     /hang             answers no handshake          /raw              sends what the test gives it, byte for byte
final class WebSocketServer: Sendable {
    let port: Int
    /// The frames that came, unmasked.
    let frames: AsyncStream<WebSocketFrame>
    /// The heads of the handshakes that came.
    let heads: AsyncStream<HTTPRequestHead>
    private let listener: any Channel
    private let connections = Locked<[any Channel]>([])
    private let opened: AsyncStream<any Channel>
    private let tells: Tells

    struct Tells: Sendable {
        let frame: AsyncStream<WebSocketFrame>.Continuation
        let head: AsyncStream<HTTPRequestHead>.Continuation
        let open: AsyncStream<any Channel>.Continuation
    }

    private init(_ listener: any Channel, _ port: Int, _ streams: Streams) {
        self.listener = listener
        self.port = port
        (frames, heads, opened, tells) = (streams.frames, streams.heads, streams.opened, streams.tells)
    }

    private struct Streams {
        let frames: AsyncStream<WebSocketFrame>
        let heads: AsyncStream<HTTPRequestHead>
        let opened: AsyncStream<any Channel>
        let tells: Tells

        init() {
            let frame: AsyncStream<WebSocketFrame>.Continuation
            let head: AsyncStream<HTTPRequestHead>.Continuation
            let open: AsyncStream<any Channel>.Continuation
            (frames, frame) = AsyncStream.makeStream()
            (heads, head) = AsyncStream.makeStream()
            (opened, open) = AsyncStream.makeStream()
            tells = Tells(frame: frame, head: head, open: open)
        }
    }

    /// Listens on `port`, or on a free one that no outgoing connection takes meanwhile, so that it can be listened on again.
    static func start(
        port: Int? = nil,
        tls: TLSConfiguration? = nil,
        protocol chosen: String? = nil
    ) async throws -> WebSocketServer {
        let streams = Streams()
        let tells = streams.tells
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    let upgrader = NIOWebSocketServerUpgrader(
                        maxFrameSize: 1 << 24,
                        shouldUpgrade: { channel, head in
                            tells.head.yield(head)
                            guard !head.uri.hasPrefix("/refuse") else {
                                return channel.eventLoop.makeSucceededFuture(nil)
                            }
                            if head.uri.hasPrefix("/hang") { return channel.eventLoop.makePromise().futureResult }
                            var headers = HTTPHeaders()
                            if let chosen { headers.add(name: "Sec-WebSocket-Protocol", value: chosen) }
                            if head.uri.hasPrefix("/extend") {
                                headers.add(name: "Sec-WebSocket-Extensions", value: "permessage-deflate")
                            }
                            return channel.eventLoop.makeSucceededFuture(headers)
                        },
                        upgradePipelineHandler: { channel, head in
                            channel.eventLoop.makeCompletedFuture {
                                let isEcho = head.uri.hasPrefix("/echo")
                                try channel.pipeline.syncOperations.addHandler(ServerFrames(tells, isEcho: isEcho))
                            }
                        }
                    )
                    let refusal = RefusingHandler()
                    try channel.pipeline.syncOperations.addHandler(HTTPResponseEncoder())
                    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
                    try channel.pipeline.syncOperations.addHandler(decoder)
                    try channel.pipeline.syncOperations.addHandler(refusal)
                    let encoder = try channel.pipeline.syncOperations.handler(type: HTTPResponseEncoder.self)
                    let upgrade = HTTPServerUpgradeHandler(
                        upgraders: [upgrader],
                        httpEncoder: encoder,
                        extraHTTPHandlers: [decoder, refusal],
                        upgradeCompletionHandler: { _ in }
                    )
                    try channel.pipeline.syncOperations.addHandler(upgrade)
                }
            }
        var tries = 0
        while true {
            // Systems give outgoing connections ports from 32768 on (Linux) or 49152 on (RFC 6335 section 6).
            let candidate = port ?? .random(in: 20_000..<32_000)
            do {
                let listener = try await bootstrap.bind(host: "127.0.0.1", port: candidate).get()
                return WebSocketServer(listener, candidate, streams)
            } catch let error as IOError where error.errnoCode == EADDRINUSE && tries < 10_000 {
                // A process that another test is just starting has a copy of every listener until it runs its program.
                tries += 1
            }
        }
    }

    /// The server's side of the next connection.
    func connection() async -> (any Channel)? {
        for await channel in opened { return channel }
        return nil
    }

    func stop() async { try? await listener.close() }
}

/// Answers `/refuse/STATUS`, with a body that is long where the path ends in `/long`.
private final class RefusingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), head.uri.hasPrefix("/refuse/") else {
            return context.fireChannelRead(data)
        }
        let parts = head.uri.split(separator: "/")
        let status = parts.count > 1 ? Int(parts[1]) ?? 400 : 400
        let body = parts.count > 2 ? String(repeating: "x", count: 1 << 18) : #"{"detail":"expired"}"#
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"]
        let answer = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// Tells what comes, and echoes it.
private final class ServerFrames: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let tells: WebSocketServer.Tells
    private let isEcho: Bool

    init(_ tells: WebSocketServer.Tells, isEcho: Bool) {
        self.tells = tells
        self.isEcho = isEcho
    }

    func handlerAdded(context: ChannelHandlerContext) { tells.open.yield(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var frame = unwrapInboundIn(data)
        let wasMasked = frame.maskKey != nil
        let payload = frame.unmaskedData
        frame = WebSocketFrame(fin: frame.fin, rsv1: !wasMasked, opcode: frame.opcode, data: payload)
        tells.frame.yield(frame)
        switch frame.opcode {
        case .ping where isEcho:
            context.writeAndFlush(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: payload)),
                promise: nil
            )
        case .connectionClose:
            if isEcho { context.writeAndFlush(wrapOutboundOut(frame), promise: nil) }
        case .text where isEcho, .binary where isEcho:
            context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        default: break
        }
    }
}

extension Channel {
    /// Sends a frame as a server does.
    func sendFrame(_ opcode: WebSocketOpcode, _ text: String, fin: Bool = true) async throws {
        try await writeAndFlush(WebSocketFrame(fin: fin, opcode: opcode, data: ByteBuffer(string: text)))
    }

    /// Says goodbye with a code.
    func sendClose(_ code: UInt16) async throws {
        try await writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(integer: code)))
    }

    /// Sends bytes past the frame encoder.
    func sendRaw(_ bytes: [UInt8]) async throws {
        try await eventLoop.submit {
            let context = try self.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self)
            context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
        }.get()
    }
}
