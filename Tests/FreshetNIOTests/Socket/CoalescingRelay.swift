// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import NIOPosix

/// Passes bytes on, and holds the server's answer to a handshake until so many bytes came after it, or until the server has
/// closed the connection: then all go at once.
final class CoalescingRelay: Sendable {
    let port: Int
    private let listener: any Channel

    private init(_ listener: any Channel) {
        self.listener = listener
        port = listener.localAddress?.port ?? 0
    }

    static func start(to port: Int, holding count: Int) async throws -> CoalescingRelay {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.pipeline.addHandler(Pipe(to: client, holding: count))
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { server in client.pipeline.addHandler(Pipe(to: server, holding: nil)) }
                    .flatMap { client.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return CoalescingRelay(listener)
    }

    func stop() async { try? await listener.close() }

    private final class Pipe: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        /// How many bytes must follow the answer's head; `nil` once nothing is held.
        private var count: Int?
        private var held = ByteBuffer()

        init(to other: any Channel, holding count: Int?) {
            self.other = other
            self.count = count
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = unwrapInboundIn(data)
            guard let count else { return other.writeAndFlush(part, promise: nil) }
            held.writeBuffer(&part)
            guard let head = held.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)),
                held.readableBytesView.distance(from: head.upperBound, to: held.readableBytesView.endIndex) >= count
            else { return }
            self.count = nil
            other.writeAndFlush(held, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if count != nil { other.writeAndFlush(held, promise: nil) }
            other.close(promise: nil)
            context.fireChannelInactive()
        }
    }
}
