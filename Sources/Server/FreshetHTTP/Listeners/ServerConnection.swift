// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import HummingbirdCore
import HummingbirdHTTP2
package import Logging
package import NIOCore
import NIOSSL
import NIOTLS

/// A connection of the server: admission, TLS, and the negotiated version of HTTP.
///
/// HTTP/2 is negotiated within TLS only (RFC 9113 section 3.3). Its streams have the same timeouts, fast path and
/// router as an HTTP/1.1 connection. Sockets are opened over HTTP/1.1, because the server does not offer RFC 8441.
package struct ServerConnection: ServerChildChannel, HTTPChannelHandler {
    /// The result of the protocol negotiation.
    enum NegotiatedProtocol: Sendable {
        /// Completes at the first bytes that the fast path does not answer; fails if there are none.
        case http1(EventLoopFuture<HTTP1Connection.Value>)
        case http2(HTTP2Channel.Value)
    }

    package struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<NegotiatedProtocol>
        package let channel: any Channel
    }

    package let responder: HTTPChannelHandler.Responder
    let limits: RequestLimits
    let admission: AdmissionController
    /// The server's certificate; `nil` for plain HTTP.
    let certificate: TLSCertificate?
    let endpoints: SocketEndpoints
    /// The responder of the fast path; `nil` if the fast path is off.
    var fastPath: FastPathResponder?
    let log: Logger

    package init(
        responder: @escaping HTTPChannelHandler.Responder,
        limits: RequestLimits,
        admission: AdmissionController,
        certificate: TLSCertificate?,
        endpoints: SocketEndpoints,
        fastPath: FastPathResponder? = nil,
        log: Logger
    ) {
        self.responder = responder
        self.limits = limits
        self.admission = admission
        self.certificate = certificate
        self.endpoints = endpoints
        self.fastPath = fastPath
        self.log = log
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard admission.admit(channel) else {
                channel.close(promise: nil)
                throw ChannelError.alreadyClosed
            }
            try Self.limitReadSize(of: channel)
            guard let certificate else {
                return Value(negotiated: setUpHTTP1(channel, logger), channel: channel)
            }
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<NegotiatedProtocol> { result in
                if case .negotiated("h2") = result { setUpHTTP2(channel, logger) } else { setUpHTTP1(channel, logger) }
            }
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLServerHandler(context: certificate.context),
                TLSHandshakeTimeoutHandler(limits.headTimeout),
                negotiation
            )
            return Value(negotiated: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    /// Limits reads to 16 KiB, after which the handlers decide whether to read on.
    ///
    /// By default, NIO reads 256 KiB first.
    private static func limitReadSize(of channel: any Channel) throws {
        let options = channel.syncOptions
        try options?.setOption(.maxMessagesPerRead, value: 1)
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2048, maximum: 16 * 1024)
        try options?.setOption(.recvAllocator, value: allocator)
    }

    private var http1: HTTP1Connection {
        HTTP1Connection(
            responder: responder,
            limits: limits,
            isSecure: certificate != nil,
            endpoints: endpoints,
            fastPath: fastPath,
            log: log
        )
    }

    private var http2: HTTP2Channel {
        HTTP2Channel(
            responder: responder,
            configuration: HTTP2ChannelConfiguration(
                idleTimeout: limits.idleTimeout,
                gracefulCloseTimeout: limits.bodyTimeout,
                streamConfiguration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: streamHandlers
                )
            )
        )
    }

    /// The handlers of a stream; new instances for each.
    private var streamHandlers: [any RemovableChannelHandler] {
        [HTTP2HeaderFilter(), HTTP2RequestValidator(), RequestTimeoutHandler(limits, isStream: true, log: log)]
            + (fastPath.map { [FastPathHandler($0)] } ?? [])
    }

    private func setUpHTTP1(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<NegotiatedProtocol> {
        channel.eventLoop.makeCompletedFuture {
            guard let fastPath else { return .http1(http1.setup(channel: channel, logger: logger)) }
            let fallback = channel.eventLoop.makePromise(of: HTTP1Connection.Value.self)
            let http1 = http1
            let handler = HTTP1FastPathHandler(fastPath, limits, fallback: fallback) { channel, wait in
                try http1.build(channel, logger: logger, after: wait)
            }
            do { try channel.pipeline.syncOperations.addHandler(handler) } catch {
                fallback.fail(error)
                throw error
            }
            return .http1(fallback.futureResult)
        }
    }

    private func setUpHTTP2(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<NegotiatedProtocol> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(IdleTimeoutHandler(limits.idleTimeout + limits.bodyTimeout))
        }
        .flatMap { http2.setup(channel: channel, logger: logger) }
        .map { .http2($0) }
    }

    package func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1(let connection):
                let fallback = try await withTaskCancellationHandler {
                    try await connection.get()
                } onCancel: {
                    // Nothing else sends this event to a connection that is still on the fast path.
                    value.channel.eventLoop.execute {
                        value.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                    }
                }
                await http1.handle(value: fallback, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            }
        } catch {
            logger.trace("the connection could not be set up: \(error)")
        }
    }
}
