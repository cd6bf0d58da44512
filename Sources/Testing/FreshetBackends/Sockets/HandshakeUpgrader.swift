// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetAppBackends
import FreshetTesting
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// An upgrader that lets the fake backend accept or refuse a handshake.
///
/// A refused handshake closes its connection: otherwise NIO would pass the request to the HTTP handlers, which would
/// send it to the backend again, use up another fault and count another handshake.
struct HandshakeUpgrader: NIOTypedHTTPServerProtocolUpgrader {
    let upgrader: NIOTypedWebSocketServerUpgrader<BackendChannel.Outcome>
    let connection: BackendConnection

    var supportedProtocol: String { upgrader.supportedProtocol }
    var requiredUpgradeHeaders: [String] { upgrader.requiredUpgradeHeaders }

    func buildUpgradeResponse(
        channel: any Channel,
        upgradeRequest: HTTPRequestHead,
        initialResponseHeaders: HTTPHeaders
    ) -> EventLoopFuture<HTTPHeaders> {
        let connection = connection
        let decision = channel.eventLoop.makeFutureWithTask { @Sendable in
            try await connection.decision(on: upgradeRequest)
        }
        return decision.flatMap { response in
            // Without a response, the connection closes.
            guard let response else { return Self.ended(channel, after: channel.close()) }
            guard response.status == 101 else { return Self.refuse(response, on: channel) }
            return upgrader.buildUpgradeResponse(
                channel: channel,
                upgradeRequest: upgradeRequest,
                initialResponseHeaders: initialResponseHeaders
            ).flatMapError { _ in Self.refuse(BackendConnection.brokenHandshake, on: channel) }
        }
    }

    func upgrade(
        channel: any Channel,
        upgradeRequest: HTTPRequestHead
    ) -> EventLoopFuture<BackendChannel.Outcome> {
        upgrader.upgrade(channel: channel, upgradeRequest: upgradeRequest)
    }

    private static func refuse(_ response: BackendResponse, on channel: any Channel) -> EventLoopFuture<HTTPHeaders> {
        var headers = HTTPHeaders(response.headers.fields.map { ($0.key, $0.value) })
        headers.replaceOrAdd(name: "Content-Length", value: "\(response.body.count)")
        headers.replaceOrAdd(name: "Connection", value: "close")
        let status = HTTPResponseStatus(statusCode: response.status)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: response.body))), promise: nil)
        let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        return ended(channel, after: written.flatMap { channel.close() })
    }

    /// Returns a failed upgrade once the connection is closed.
    private static func ended(
        _ channel: any Channel,
        after closing: EventLoopFuture<Void>
    ) -> EventLoopFuture<HTTPHeaders> {
        closing.flatMap { channel.closeFuture }.flatMapThrowing { throw ChannelError.alreadyClosed }
    }
}
