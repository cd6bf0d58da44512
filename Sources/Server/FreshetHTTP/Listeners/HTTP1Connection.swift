// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// An HTTP/1.1 connection with its timeouts, until a handshake upgrades it to a WebSocket.
///
/// After the upgrade, the asynchronous channel stays at the end of the pipeline and sees only the connection's close.
struct HTTP1Connection: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: RequestLimits
    /// Whether the connection uses TLS.
    let isSecure: Bool
    let endpoints: SocketEndpoints
    /// The responder of the fast path; `nil` if the fast path is off.
    var fastPath: FastPathResponder?
    let log: Logger

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture { try build(channel, logger: logger) }
    }

    /// Adds the handlers, on the event loop; `wait` is the idle state from an earlier handler.
    func build(_ channel: any Channel, logger: Logger, after wait: IdleState? = nil) throws -> Value {
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        let validator = HTTP1RequestValidator()
        let continueHandler = ContinueHandler()
        let filter = UpgradeFilter()
        let codec = HTTP1ToHTTPServerCodec(secure: isSecure)
        let limiter = HTTPPipeliningLimiter(limits)
        let timeoutHandler = RequestTimeoutHandler(limits, after: wait, limiter: limiter, log: log)
        let state = HTTPConnectionStateHandler(idleTimeout: limits.idleTimeout, logger: logger)
        let fastPathHandler = fastPath.map { FastPathHandler($0) }
        let others: [any RemovableChannelHandler] = [
            limiter, validator, continueHandler, filter, codec, timeoutHandler, state, encoder,
        ]
        let upgradeHandler = WebSocketUpgradeHandler(
            endpoints,
            WebSocketUpgradeHandler.HTTPHandlers(
                decoder: decoder,
                others: others + (fastPathHandler.map { [$0] } ?? [])
            )
        )
        try channel.pipeline.syncOperations.addHandlers([
            limiter, encoder, decoder, validator, continueHandler, filter, codec, timeoutHandler, upgradeHandler,
            state,
        ])
        // The fast path comes after the handler that tracks whether the connection is idle.
        if let fastPathHandler { try channel.pipeline.syncOperations.addHandler(fastPathHandler) }
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
