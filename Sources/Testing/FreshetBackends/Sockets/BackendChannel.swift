// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetAppBackends
import FreshetTesting
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// A connection to a fake backend: HTTP/1.1, or a WebSocket after an accepted handshake.
struct BackendChannel: HTTPChannelHandler {
    /// The protocol that was negotiated.
    enum Outcome: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case socket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, BackendSocket)
    }

    /// The negotiation of a connection, which completes when its first request has arrived.
    struct Negotiation: ServerChildChannelValue {
        let channel: any Channel
        let result: EventLoopFuture<Outcome>
    }

    typealias Value = Negotiation

    let connection: BackendConnection
    let responder: Responder

    init(_ connection: BackendConnection) {
        self.connection = connection
        responder = { request, writer, _ in try await connection.respond(to: request, writer) }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Negotiation> {
        let connection = connection
        return channel.eventLoop.makeCompletedFuture {
            let upgrader = NIOTypedWebSocketServerUpgrader<Outcome>(
                shouldUpgrade: { (channel: any Channel, head: HTTPRequestHead) in
                    channel.eventLoop.makeSucceededFuture([:])
                },
                upgradePipelineHandler: { (channel: any Channel, head: HTTPRequestHead) in
                    channel.eventLoop.makeCompletedFuture {
                        let frames = try NIOAsyncChannel<WebSocketFrame, WebSocketFrame>(
                            wrappingChannelSynchronously: channel
                        )
                        return Outcome.socket(frames, connection.backend.openSocket(for: BackendRequest(head)))
                    }
                }
            )
            let upgrade = NIOTypedHTTPServerUpgradeConfiguration<Outcome>(
                upgraders: [HandshakeUpgrader(upgrader: upgrader, connection: connection)],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                        // After a lost connection, some clients repeat a request without its body; such a request would
                        // never complete.
                        try channel.pipeline.syncOperations.addHandler(
                            HTTPConnectionStateHandler(idleTimeout: .seconds(30), logger: logger)
                        )
                        return Outcome.http(
                            try NIOAsyncChannel(
                                wrappingChannelSynchronously: channel,
                                configuration: .init(isOutboundHalfClosureEnabled: true)
                            )
                        )
                    }
                }
            )
            let result = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
                configuration: .init(upgradeConfiguration: upgrade)
            )
            return Negotiation(channel: channel, result: result)
        }
    }

    func handle(value: Negotiation, logger: Logger) async {
        do {
            switch try await value.result.get() {
            case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
            case .socket(let channel, let socket):
                try await SocketConversation(backend: connection.backend, socket: socket).run(on: channel)
            }
        } catch {
            logger.debug("connection closed", metadata: ["error": "\(error)"])
            value.channel.close(promise: nil)
        }
    }
}
