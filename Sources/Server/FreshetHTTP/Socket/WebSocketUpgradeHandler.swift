// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOWebSocket

/// Decides for each request whether its connection becomes a socket, and upgrades it.
///
/// An accepted handshake replaces the HTTP handlers of the pipeline, including this one, with those of a socket: a
/// handler for requests must not see frames. A refused handshake goes to the router like any other request and is
/// answered there with status and body; after that response the connection is closed, because NIO's decoder reads
/// nothing after an `Upgrade`.
final class WebSocketUpgradeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The handlers of a connection that are for HTTP only.
    struct HTTPHandlers {
        /// Removed last, and asynchronously: on its removal it forwards the bytes that it has not decoded.
        var decoder: any RemovableChannelHandler
        var others: [any RemovableChannelHandler]
    }

    private enum Phase {
        /// Requests are passed on. Can transition to deciding and last.
        case http
        /// The parts of a handshake wait for the decision. Can transition to upgrading and last.
        case deciding([HTTPRequestPart], SocketEndpoint.AcceptedHandshake?, SocketEndpoint)
        /// Bytes that arrive belong to the socket. Can transition to left.
        case upgrading([NIOAny])
        /// The current request is the connection's last.
        case last
        case left
    }

    private let endpoints: SocketEndpoints
    private let http: HTTPHandlers
    private var phase = Phase.http
    private var unanswered = 0

    init(_ endpoints: SocketEndpoints, _ http: HTTPHandlers) {
        self.endpoints = endpoints
        self.http = http
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .upgrading(var bytes):
            phase = .left
            bytes.append(data)
            phase = .upgrading(bytes)
        case .deciding(let parts, let admission, let endpoint):
            phase = .deciding(parts + [unwrapInboundIn(data)], admission, endpoint)
            upgradeIfComplete(context)
        case .left: context.fireChannelRead(data)
        case .last: pass(data, context)
        case .http:
            guard case .head(let head) = unwrapInboundIn(data), SocketHandshake.requestsUpgrade(head) else {
                return pass(data, context)
            }
            guard unanswered == 0, !SocketHandshake.hasBody(head), let endpoint = endpoints.endpoint(of: head) else {
                phase = .last
                return pass(data, context)
            }
            phase = .deciding([.head(head)], nil, endpoint)
            decide(head, endpoint, context)
        }
    }

    private func pass(_ data: NIOAny, _ context: ChannelHandlerContext) {
        if case .head = unwrapInboundIn(data) { unanswered += 1 }
        context.fireChannelRead(data)
    }

    /// Makes the decision off the event loop, because verifying a signature and querying the database take time.
    private func decide(_ head: HTTPRequest, _ endpoint: SocketEndpoint, _ context: ChannelHandlerContext) {
        let peer = context.channel.remoteAddress.flatMap { SourceAddress($0) }
        let decision = context.eventLoop.makeFutureWithTask { await endpoint.admit(head, from: peer) }
        decision.assumeIsolated().whenSuccess { admission in
            guard case .deciding(let parts, _, _) = self.phase else {
                // The connection was closed in the meantime.
                if let admission { endpoint.hub.release(admission.place) }
                return
            }
            if let admission {
                self.phase = .deciding(parts, admission, endpoint)
                self.upgradeIfComplete(context)
            } else {
                self.phase = .last
                for part in parts { self.pass(self.wrapInboundOut(part), context) }
                context.fireChannelReadComplete()
            }
        }
    }

    // MARK: - Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch phase {
        case .http, .deciding, .last: break
        // These are bytes of the socket.
        case .upgrading, .left: return context.write(data, promise: promise)
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where isLastAnswer:
            let connection = head.headerFields[.connection].map { "\($0), close" } ?? "close"
            head.headerFields[.connection] = connection
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isLastAnswer:
            unanswered -= 1
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            context.writeAndFlush(data, promise: written)
        case .end:
            unanswered -= 1
            context.write(data, promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        }
    }

    private var isLastAnswer: Bool { if case .last = phase { unanswered == 1 } else { false } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // During the switch between the two protocols, no other handler reacts to this event.
        if case .upgrading = phase, event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: - Upgrade

    private func upgradeIfComplete(_ context: ChannelHandlerContext) {
        guard case .deciding(let parts, let admission?, let endpoint) = phase, case .end = parts.last else { return }
        phase = .upgrading([])
        let answer = HTTPResponse(status: .switchingProtocols, headerFields: admission.fields)
        // The response is flushed after the socket is registered, because a client that reads it may rely on every
        // later message.
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        let pipeline = context.pipeline.syncOperations
        for handler in http.others { pipeline.removeHandler(handler, promise: nil) }
        let removed = context.eventLoop.makePromise(of: Void.self)
        removed.futureResult.assumeIsolated().whenComplete { _ in self.install(admission, endpoint, context) }
        pipeline.removeHandler(http.decoder, promise: removed)
    }

    private func install(
        _ admission: SocketEndpoint.AcceptedHandshake,
        _ endpoint: SocketEndpoint,
        _ context: ChannelHandlerContext
    ) {
        guard case .upgrading(let bytes) = phase else { return endpoint.hub.release(admission.place) }
        let handlers = SocketConnection.frameHandlers(endpoint.hub.limits)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandlers([handlers.encoder, handlers.decoder], position: .after(self))
            // This handler is added separately, after the others, because it writes as soon as it is added.
            try pipeline.addHandler(
                SocketConnection(endpoint, admission.place, admission.claims),
                position: .after(handlers.decoder)
            )
        } catch {
            endpoint.hub.release(admission.place)
            return context.close(promise: nil)
        }
        phase = .left
        context.flush()
        for data in bytes { context.fireChannelRead(data) }
        context.fireChannelReadComplete()
        pipeline.removeHandler(context: context, promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if case .deciding(_, let admission?, let endpoint) = phase { endpoint.hub.release(admission.place) }
        phase = .left
    }
}
