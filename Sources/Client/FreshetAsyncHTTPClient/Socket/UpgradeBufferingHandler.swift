// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import NIOCore

    /// Buffers the bytes after the head of a 101 response until the pipeline has its frame handlers.
    ///
    /// A server may send frames together with the handshake's response, even a close frame; many servers send their
    /// close code this way. The HTTP decoder is removed later, and bytes that it still buffers when the connection
    /// closes are lost.
    final class UpgradeBufferingHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private enum State {
            /// The response's head is incomplete. Contains its bytes so far, which were also passed on.
            case head(ByteBuffer)
            case holding(ByteBuffer, isOver: Bool)
            case passing
        }

        /// The maximum head size; the decoder rejects longer ones.
        private static let longestHead = 128 * 1024
        private static let headEnd = Array("\r\n\r\n".utf8)
        private static let isTaken = Array("HTTP/1.1 101 ".utf8)

        private var state = State.head(ByteBuffer())
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = unwrapInboundIn(data)
            switch state {
            case .passing: context.fireChannelRead(data)
            case .holding(var held, let isOver):
                held.writeBuffer(&part)
                state = .holding(held, isOver: isOver)
            case .head(var seen):
                let before = seen.readableBytes
                seen.writeImmutableBuffer(part)
                let view = seen.readableBytesView
                guard let end = view.firstRange(of: Self.headEnd)?.upperBound else {
                    state = before < Self.longestHead ? .head(seen) : .passing
                    return context.fireChannelRead(data)
                }
                guard view.starts(with: Self.isTaken),
                    let head = part.readSlice(length: part.readableBytes - (view.endIndex - end))
                else {
                    state = .passing
                    return context.fireChannelRead(data)
                }
                state = .holding(part, isOver: false)
                context.fireChannelRead(wrapInboundOut(head))
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            guard case .holding(let held, _) = state else { return context.fireChannelInactive() }
            state = .holding(held, isOver: true)
        }

        /// Passes the buffered bytes on, after the handshake.
        func release() {
            guard case .holding(let held, let isOver) = state, let context else { return }
            state = .passing
            if held.readableBytes > 0 {
                context.fireChannelRead(wrapInboundOut(held))
                context.fireChannelReadComplete()
            }
            if isOver { context.fireChannelInactive() }
        }
    }
#endif
