// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import NIOCore
    import NIOWebSocket

    /// Rejects frames that a server must not send without extensions (RFC 6455 sections 5.1 and 5.2).
    final class WebSocketFrameValidationHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias InboundOut = WebSocketFrame

        struct Violation: Error {}

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            let isPlain = frame.maskKey == nil && !frame.rsv1 && !frame.rsv2 && !frame.rsv3
            let isKnown = [.continuation, .text, .binary, .connectionClose, .ping, .pong].contains(frame.opcode)
            if isPlain, isKnown { context.fireChannelRead(data) } else { context.fireErrorCaught(Violation()) }
        }
    }
#endif
