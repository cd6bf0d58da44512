// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import NIOCore

    /// Holds what comes after the head of a 101 answer until the pipeline knows frames.
    ///
    /// A server may say something, and even goodbye, in the same breath as it takes the handshake; many do so to tell a close
    /// code. The HTTP decoder leaves the pipeline a moment later, and what it still has when the connection ends is lost.
    final class UpgradeBufferingHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private enum State {
            /// The answer's head has not ended; these bytes of it came and were passed on.
            case head(ByteBuffer)
            case holding(ByteBuffer, isOver: Bool)
            case passing
        }

        /// A longer head is for the decoder to refuse.
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

        /// The handshake is over; what was held goes on its way.
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
