// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A TCP relay in front of a development server, which can drop an answer that the server has sent.
///
/// The server itself has no switch for that: it is the same as in production.
final class DevelopmentRelay: Sendable {
    /// Returns whether bytes from the server are dropped, and their connection closed.
    typealias Drops = @Sendable (ByteBuffer) -> Bool

    private let listener: any Channel
    private let upstream: NIOLockedValueBox<Int?>

    /// The port to which clients connect.
    var port: Int { listener.localAddress?.port ?? 0 }

    /// Listens for clients; their connections are closed until ``forward(to:)`` is called.
    static func open(host: String, port: Int, drops: @escaping Drops) async throws -> DevelopmentRelay {
        let upstream = NIOLockedValueBox<Int?>(nil)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture {
                    guard let port = upstream.withLockedValue({ $0 }) else { throw ChannelError.ioOnClosedChannel }
                    try client.pipeline.syncOperations.addHandler(ClientSide(port: port, drops: drops))
                }
            }
            .bind(host: host, port: port).get()
        return DevelopmentRelay(listener, upstream)
    }

    private init(_ listener: any Channel, _ upstream: NIOLockedValueBox<Int?>) {
        self.listener = listener
        self.upstream = upstream
    }

    /// Connects later clients with the server on this port of the loopback interface.
    func forward(to port: Int) { upstream.withLockedValue { $0 = port } }

    func close() async { try? await listener.close() }

    /// The connection of a client.
    private final class ClientSide: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let port: Int
        private let drops: Drops
        private var server: (any Channel)?
        /// The bytes that arrived before the connection to the server was open.
        private var waiting: [ByteBuffer] = []

        init(port: Int, drops: @escaping Drops) {
            self.port = port
            self.drops = drops
        }

        func channelActive(context: ChannelHandlerContext) {
            let client = context.channel
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { [drops] server in
                    server.eventLoop.makeCompletedFuture {
                        try server.pipeline.syncOperations.addHandler(ServerSide(client: client, drops: drops))
                    }
                }
                .connect(host: "127.0.0.1", port: port)
                .whenComplete { bound.value.connected(try? $0.get(), for: client) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            if let server { server.writeAndFlush(bytes, promise: nil) } else { waiting.append(bytes) }
        }

        func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func connected(_ server: (any Channel)?, for client: any Channel) {
            guard let server, client.isActive else {
                server?.close(promise: nil)
                return client.close(promise: nil)
            }
            self.server = server
            for bytes in waiting { server.write(bytes, promise: nil) }
            waiting = []
            server.flush()
        }
    }

    /// The connection to the server, on the event loop of its client.
    private final class ServerSide: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let client: any Channel
        private let drops: Drops
        private var lastWrite: EventLoopFuture<Void>?

        init(client: any Channel, drops: @escaping Drops) {
            self.client = client
            self.drops = drops
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            // Further bytes of a dropped answer are written to a closed channel.
            if drops(bytes) { return client.close(promise: nil) }
            lastWrite = client.writeAndFlush(bytes)
        }

        func channelInactive(context: ChannelHandlerContext) {
            // The client gets everything that the server sent before it closed the connection.
            guard let lastWrite else { return client.close(promise: nil) }
            lastWrite.whenComplete { [client] _ in client.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
