// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// A connection of the server: HTTP/1.1 with its guard, until a handshake makes it a socket.
///
/// A connection that has become a socket keeps the asynchronous channel at the end of its pipeline, which then sees
/// nothing but the connection's end.
struct SocketChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: RequestLimits
    let load: ServerLoad
    /// `nil` for plain HTTP.
    let certificate: TLSCertificate?
    let doors: SocketDoors
    /// `nil` where no refresh is answered.
    var desk: RefreshDesk?
    let log: Logger

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard load.admit(channel) else {
                channel.close(promise: nil)
                throw ChannelError.alreadyClosed
            }
            if let certificate {
                let handler = NIOSSLServerHandler(context: certificate.context)
                try channel.pipeline.syncOperations.addHandler(handler)
            }
            let encoder = HTTPResponseEncoder()
            let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            let filter = UpgradeFilter()
            let codec = HTTP1ToHTTPServerCodec(secure: certificate != nil)
            let connectionGuard = ConnectionGuard(limits, log: log)
            let state = HTTPConnectionStateHandler(idleTimeout: limits.idleTimeout, logger: logger)
            let lane = desk.map { RefreshLane($0) }
            let others: [any RemovableChannelHandler] = [filter, codec, connectionGuard, state, encoder]
            let gate = SocketGate(
                doors,
                SocketGate.HTTPHandlers(decoder: decoder, others: others + (lane.map { [$0] } ?? []))
            )
            try channel.pipeline.syncOperations.addHandlers([
                encoder, decoder, filter, codec, connectionGuard, gate, state,
            ])
            // Behind the one that knows whether a connection is idle.
            if let lane { try channel.pipeline.syncOperations.addHandler(lane) }
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
