// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import Foundation
    import FreshetKit
    import FreshetWire
    import NIOCore
    import NIOWebSocket

    /// Converts between frames and messages, and reads only while no message is buffered.
    ///
    /// Runs on the channel's event loop.
    final class WebSocketMessageHandler: ChannelDuplexHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        /// The maximum number of buffered messages while the connection is closing.
        private static let bufferLimitWhileClosing = 64

        private var messages: [WebSocketMessage] = []
        private var receivers: [EventLoopPromise<WebSocketMessage>] = []
        private var pings: [UInt64: EventLoopPromise<Void>] = [:]
        private var lastPing: UInt64 = 0
        private var end: WebSocketError?
        private var isClosing = false
        private var isReadPending = false
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) {
            finish(.lost)
            self.context = nil
        }

        // MARK: Commands of the connection

        /// Delivers the next message, or the reason that there are no more.
        func receive(_ promise: EventLoopPromise<WebSocketMessage>) {
            if !messages.isEmpty {
                promise.succeed(messages.removeFirst())
                resumeReadingFromChannel()
            } else if let end {
                promise.fail(end)
            } else {
                receivers.append(promise)
            }
        }

        /// Sends a message.
        func send(_ message: WebSocketMessage, _ promise: EventLoopPromise<Void>) {
            guard end == nil, !isClosing, let context else { return promise.fail(WebSocketError.lost) }
            switch message {
            case .text(let text): write(.text, ByteBuffer(string: text), context, promise)
            case .data(let data): write(.binary, ByteBuffer(bytes: data), context, promise)
            }
        }

        /// Sends a ping, and succeeds when the pong arrives.
        func ping(_ promise: EventLoopPromise<Void>) {
            guard end == nil, !isClosing, let context else { return promise.fail(WebSocketError.lost) }
            lastPing += 1
            pings[lastPing] = promise
            write(.ping, ByteBuffer(integer: lastPing), context, nil)
        }

        /// Sends a close frame; the channel is closed when the server has answered it.
        func close(code: Int) {
            guard let context else { return }
            guard end == nil, !isClosing else {
                if end != nil { context.close(promise: nil) }
                return
            }
            isClosing = true
            writeClose(code, context)
            resumeReadingFromChannel()
        }

        // MARK: Channel events

        func read(context: ChannelHandlerContext) {
            if mayRead { context.read() } else { isReadPending = true }
        }

        private var mayRead: Bool { messages.count < (isClosing ? Self.bufferLimitWhileClosing : 1) }

        private func resumeReadingFromChannel() {
            guard isReadPending, mayRead else { return }
            isReadPending = false
            context?.read()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard end == nil else { return }
            let frame = unwrapInboundIn(data)
            switch frame.opcode {
            case .text:
                guard let text = String(utf8: frame.data.readableBytesView) else {
                    return fail(1007, .lost, context)
                }
                deliver(.text(text))
            case .binary: deliver(.data(Data(frame.data.readableBytesView)))
            case .ping:
                // No pongs are sent to a server that does not read, because they would accumulate here.
                if !isClosing, context.channel.isWritable { write(.pong, frame.data, context, nil) }
            case .pong: answered(frame.data)
            default: closed(frame.data, context)
            }
        }

        private func deliver(_ message: WebSocketMessage) {
            if receivers.isEmpty { messages.append(message) } else { receivers.removeFirst().succeed(message) }
        }

        private func answered(_ payload: ByteBuffer) {
            // A server may send pongs that answer no ping.
            guard let id = payload.getInteger(at: payload.readerIndex, as: UInt64.self),
                payload.readableBytes == MemoryLayout.size(ofValue: id), pings[id] != nil
            else { return }
            // A pong also answers earlier pings (RFC 6455 section 5.5.3).
            for (ping, promise) in pings where ping <= id {
                pings[ping] = nil
                promise.succeed(())
            }
        }

        /// Handles the server's close frame, whether it initiates the close or answers ours.
        private func closed(_ payload: ByteBuffer, _ context: ChannelHandlerContext) {
            let code = payload.getInteger(at: payload.readerIndex, as: UInt16.self).map(Int.init)
            guard payload.readableBytes != 1, code.map(Self.isSound) ?? true else { return fail(1002, .lost, context) }
            // The reason is text (RFC 6455 section 5.5.1).
            guard String(utf8: payload.readableBytesView.dropFirst(2)) != nil else {
                return fail(1007, .lost, context)
            }
            if !isClosing { writeClose(code ?? 1000, context) }
            finish(isClosing ? .lost : .closed(code: code ?? 1005))
            // Flush earlier writes before the connection is closed.
            context.flush()
            context.close(promise: nil)
        }

        /// Whether a code is valid in a close frame (RFC 6455 section 7.4 and the registry).
        private static func isSound(_ code: Int) -> Bool {
            [1000...1003, 1007...1014, 3000...4999].contains { $0.contains(code) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            finish(.lost)
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            switch error {
            case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
                NIOWebSocketFrameAggregator.Error.tooManyFragments:
                fail(1009, .messageTooLong, context)
            case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error,
                is WebSocketFrameValidationHandler.Violation:
                fail(1002, .lost, context)
            case is WebSocketFrameValidationHandler.InvalidText: fail(1007, .lost, context)
            default:
                finish(.lost)
                context.close(promise: nil)
            }
        }

        /// Closes the connection with a code after a protocol violation of the server (RFC 6455 section 7.1.7).
        private func fail(_ code: Int, _ error: WebSocketError, _ context: ChannelHandlerContext) {
            guard end == nil else { return }
            if !isClosing { writeClose(code, context) }
            finish(error)
            context.close(promise: nil)
        }

        private func writeClose(_ code: Int, _ context: ChannelHandlerContext) {
            write(.connectionClose, ByteBuffer(integer: UInt16(clamping: code)), context, nil)
        }

        private func write(
            _ opcode: WebSocketOpcode,
            _ payload: ByteBuffer,
            _ context: ChannelHandlerContext,
            _ promise: EventLoopPromise<Void>?
        ) {
            let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: payload)
            context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
        }

        /// Stops receiving; buffered messages can still be received.
        private func finish(_ error: WebSocketError) {
            guard end == nil else { return }
            end = error
            for receiver in receivers { receiver.fail(error) }
            receivers = []
            for promise in pings.values { promise.fail(error) }
            pings = [:]
        }
    }
#endif
