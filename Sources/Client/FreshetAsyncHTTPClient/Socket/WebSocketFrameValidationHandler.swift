// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import FreshetKit
    import FreshetWire
    import NIOCore
    import NIOWebSocket

    /// Rejects frames that a server must not send without extensions (RFC 6455 sections 5.1, 5.2 and 8.1).
    ///
    /// The fragments of a text are validated one by one, before the message is complete.
    final class WebSocketFrameValidationHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias InboundOut = WebSocketFrame

        struct Violation: Error {}
        struct InvalidText: Error {}

        private let maximumMessage: Int
        /// The validator of the incomplete text message; `nil` if there is none.
        private var text: UTF8Validator?

        init(_ limits: WebSocketLimits) { maximumMessage = limits.maximumMessage }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            let isPlain = frame.maskKey == nil && !frame.rsv1 && !frame.rsv2 && !frame.rsv3
            let isKnown = [.continuation, .text, .binary, .connectionClose, .ping, .pong].contains(frame.opcode)
            guard isPlain, isKnown else { return context.fireErrorCaught(Violation()) }
            // The decoder's limit is that of control frames if the message limit is below it.
            let isControl = [.connectionClose, .ping, .pong].contains(frame.opcode)
            guard isControl || frame.data.readableBytes <= maximumMessage else {
                return context.fireErrorCaught(NIOWebSocketError.invalidFrameLength)
            }
            guard isText(frame) else { return context.fireErrorCaught(InvalidText()) }
            context.fireChannelRead(data)
        }

        /// Whether a frame can be part of its message, if that is a fragmented text.
        private func isText(_ frame: WebSocketFrame) -> Bool {
            switch frame.opcode {
            case .text where !frame.fin: text = text ?? UTF8Validator()
            case .continuation: break
            default: return true
            }
            let isValid = text?.append(frame.data.readableBytesView) ?? true
            if frame.fin { text = nil }
            return isValid
        }
    }
#endif
