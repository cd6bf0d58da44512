// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// HTTP/1.1 with its guard, until a handshake makes the connection a socket.
///
/// A connection that has become a socket keeps the asynchronous channel at the end of its pipeline, which then sees
/// nothing but the connection's end.
struct HTTP1Connection: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: RequestLimits
    /// Whether it is one of TLS.
    let isSecure: Bool
    let doors: SocketDoors
    /// `nil` where nothing is answered without the router.
    var desk: LaneDesk?
    let log: Logger

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture { try build(channel, logger: logger) }
    }

    /// Adds the handlers, on the channel's event loop; `wait` says since when the connection waits, if not from now on.
    func build(_ channel: any Channel, logger: Logger, after wait: RequestWait? = nil) throws -> Value {
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        let filter = UpgradeFilter()
        let codec = HTTP1ToHTTPServerCodec(secure: isSecure)
        let limiter = PipelineLimiter()
        let connectionGuard = ConnectionGuard(limits, after: wait, limiter: limiter, log: log)
        let state = HTTPConnectionStateHandler(idleTimeout: limits.idleTimeout, logger: logger)
        let lane = desk.map { PartsLane($0) }
        let others: [any RemovableChannelHandler] = [limiter, filter, codec, connectionGuard, state, encoder]
        let gate = SocketGate(
            doors,
            SocketGate.HTTPHandlers(decoder: decoder, others: others + (lane.map { [$0] } ?? []))
        )
        try channel.pipeline.syncOperations.addHandlers([
            limiter, encoder, decoder, filter, codec, connectionGuard, gate, state,
        ])
        // Behind the one that knows whether a connection is idle.
        if let lane { try channel.pipeline.syncOperations.addHandler(lane) }
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
