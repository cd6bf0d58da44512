// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import NIOCore
import NIOTLS

/// Closes a connection whose TLS handshake times out, or is incomplete when the server stops.
///
/// The connection carries no request yet.
final class TLSHandshakeTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let timeout: TimeAmount
    private var end: Scheduled<Void>?

    /// Creates a handler for one connection.
    ///
    /// - Parameter timeout: The maximum duration of a handshake.
    init(_ timeout: Duration) {
        self.timeout = .milliseconds(timeout.milliseconds)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
        guard case .handshakeCompleted = event as? TLSUserEvent else { return }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
