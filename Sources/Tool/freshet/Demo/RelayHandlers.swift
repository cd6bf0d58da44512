// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// The client side of the relay.
final class RelayClientHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let network: FaultyNetwork
    private var server: (any Channel)?
    private var waiting: [ByteBuffer] = []
    /// The received bytes, if the request is a refresh, which is small.
    private var request: ByteBuffer?
    private var hasBegun = false

    init(_ network: FaultyNetwork) {
        self.network = network
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if !hasBegun {
            hasBegun = true
            network.connectionOpened()
            let isRefresh = bytes.getString(at: bytes.readerIndex, length: 16) == "POST /v1/refresh"
            request = isRefresh ? ByteBuffer() : nil
            connect(context, isRefresh: isRefresh)
        }
        if request != nil {
            var copy = bytes
            request?.writeBuffer(&copy)
        }
        if let server {
            server.writeAndFlush(bytes, promise: nil)
        } else {
            waiting.append(bytes.readSlice(length: bytes.readableBytes) ?? bytes)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        server?.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func connect(_ context: ChannelHandlerContext, isRefresh: Bool) {
        let client = context.channel
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        network.connect(
            on: context.eventLoop,
            RelayServerHandler(network, client: client, isRefresh: isRefresh) {
                if let request = bound.value.request { bound.value.network.refreshPassed(request) }
            }
        ).whenComplete { result in
            guard case .success(let server) = result else { return client.close(promise: nil) }
            bound.value.server = server
            for bytes in bound.value.waiting { server.write(bytes, promise: nil) }
            bound.value.waiting = []
            server.flush()
        }
    }
}

/// The server side of the relay.
final class RelayServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let network: FaultyNetwork
    private let client: any Channel
    private let isRefresh: Bool
    private let onAnswer: () -> Void
    /// The response to a refresh, buffered until the server closes the connection; the client requested that with
    /// `Connection: close`.
    private var answer = ByteBuffer()

    init(_ network: FaultyNetwork, client: any Channel, isRefresh: Bool, onAnswer: @escaping () -> Void) {
        self.network = network
        self.client = client
        self.isRefresh = isRefresh
        self.onAnswer = onAnswer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard isRefresh else { return client.writeAndFlush(bytes, promise: nil) }
        answer.writeBuffer(&bytes)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard isRefresh, answer.readableBytes > 0 else { return client.close(promise: nil) }
        onAnswer()
        let (client, answer) = (client, answer)
        network.shouldDeliverResponse(on: context.eventLoop).whenSuccess { arrives in
            guard arrives else { return client.close(promise: nil) }
            client.writeAndFlush(answer).whenComplete { _ in client.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
