// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import NIOCore

/// Closes a connection over which nothing came for a time; it must be longer than any answer takes.
///
/// An idle connection of HTTP/2 is told to end and asked for a last word; this is for those that never give it.
final class IdleTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: TimeAmount
    private var end = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?

    init(_ limit: Duration) {
        self.limit = .milliseconds(limit.milliseconds)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        end = context.eventLoop.now + limit
        wake(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        end = context.eventLoop.now + limit
        context.fireChannelRead(data)
    }

    /// One timer at a time: it looks whether it came too early.
    private func wake(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: end) {
            let (connection, context) = loopBound.value
            if context.eventLoop.now < connection.end { connection.wake(context) } else { context.close(promise: nil) }
        }
    }
}
