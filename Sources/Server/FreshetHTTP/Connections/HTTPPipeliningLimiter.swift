// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// Limits the memory that a client can occupy by pipelining requests.
///
/// Bytes are passed to the decoder in small pieces, and held back while too many requests await their responses. NIO's
/// decoder decodes all bytes that it receives: 64 KiB can contain 2,500 requests, which occupy megabytes of memory for
/// a client that reads no response. Undecoded bytes stay in one buffer, then in the socket's buffer, and finally with
/// the client.
final class HTTPPipeliningLimiter: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: RequestLimits
    private var context: ChannelHandlerContext?
    private var held = ByteBuffer()
    private var unanswered = 0
    private var wantsRead = false
    private var isDeliveryScheduled = false
    /// Whether the client has closed its half after the held bytes.
    private var hasInputEnded = false

    init(_ limits: RequestLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        held = ByteBuffer()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if held.readableBytes > 0 {
            held.writeBuffer(&bytes)
        } else if bytes.readableBytes <= limits.pipelinedPiece, unanswered < limits.pipelinedRequests {
            context.fireChannelRead(data)
        } else {
            held = bytes
            deliver(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if held.readableBytes > 0 { wantsRead = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if held.readableBytes > 0, event as? ChannelEvent == .inputClosed {
            hasInputEnded = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Counts a decoded request.
    func requestReceived() { unanswered += 1 }

    /// Counts a written response.
    ///
    /// Held bytes are decoded in the event loop's next turn, not within a write.
    func responseWritten() {
        unanswered = max(0, unanswered - 1)
        guard let context, held.readableBytes > 0, !isDeliveryScheduled else { return }
        isDeliveryScheduled = true
        context.eventLoop.assumeIsolated().execute { self.deliverHeld() }
    }

    private func deliverHeld() {
        isDeliveryScheduled = false
        guard let context else { return }
        deliver(context)
        context.fireChannelReadComplete()
    }

    private func deliver(_ context: ChannelHandlerContext) {
        while held.readableBytes > 0, unanswered < limits.pipelinedRequests,
            let piece = held.readSlice(length: min(held.readableBytes, limits.pipelinedPiece))
        {
            context.fireChannelRead(wrapInboundOut(piece))
        }
        if held.readableBytes == 0 { finish(context) }
    }

    /// Resets the state once no bytes are held.
    private func finish(_ context: ChannelHandlerContext) {
        held = ByteBuffer()
        if hasInputEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        hasInputEnded = false
        if wantsRead { context.read() }
        wantsRead = false
    }

    /// Forwards the held bytes.
    ///
    /// After a handshake they belong to a socket, which this handler does not limit.
    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if held.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(held)) }
        finish(context)
        context.leavePipeline(removalToken: removalToken)
    }
}
