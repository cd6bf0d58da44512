// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import NIOCore

/// Closes a connection that has received nothing for a time, which must exceed the duration of any response.
///
/// An idle HTTP/2 connection is closed gracefully; this handler closes those whose peers do not respond to that.
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

    /// Schedules a timer.
    ///
    /// There is one timer at a time; if data has arrived in the meantime, the next one is scheduled.
    private func wake(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: end) {
            let (connection, context) = loopBound.value
            if context.eventLoop.now < connection.end { connection.wake(context) } else { context.close(promise: nil) }
        }
    }
}
