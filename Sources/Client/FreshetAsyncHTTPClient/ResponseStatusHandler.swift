// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    internal import NIOCore
    internal import NIOHTTP1

    /// Fails a response whose status is below 100 (RFC 9110 section 15).
    ///
    /// AsyncHTTPClient 1.37 treats it as an informational response, and traps when the message ends without another
    /// head.
    final class ResponseStatusHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart

        private var isInvalid = false

        /// Adds a handler after the decoder of an HTTP/1.1 connection.
        static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ResponseStatusHandler(), position: .after(decoder))
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
                isInvalid = true
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                return context.close(promise: nil)
            }
            if !isInvalid { context.fireChannelRead(data) }
        }
    }
#endif
