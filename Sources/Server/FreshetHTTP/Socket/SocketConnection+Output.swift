// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import NIOCore
import NIOWebSocket

/// Outbound frames, up to the close frame.
extension SocketConnection {
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let order = event as? OpenSocket.Command else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch order {
        case .end(let reason): close(endpoint.policy.closeStatus(ended: reason), context)
        case .drop: close(.tooSlow, context)
        case .displace: close(endpoint.policy.tooMany, context)
        case .send where machine.isClosing: promise?.fail(ChannelError.ioOnClosedChannel)
        case .send(.text(let text)): send(.text, ByteBuffer(string: text), context, promise)
        case .send(.binary(let data)): send(.binary, ByteBuffer(bytes: data), context, promise)
        }
    }

    func send(
        _ opcode: WebSocketOpcode,
        _ data: ByteBuffer,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>? = nil
    ) {
        unwritten += 1
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.unwritten -= 1
            self.timers.cancel(.writing)
            self.startWriteTimeout(context)
        }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: written)
        startWriteTimeout(context)
    }

    /// Starts the write timeout if frames are queued; each completed write restarts it.
    private func startWriteTimeout(_ context: ChannelHandlerContext) {
        guard unwritten > 0, !machine.isClosing, !timers.isSet(.writing) else { return }
        timers.set(.writing, after: limits.writeTimeout, on: context.eventLoop) { self.close(.tooSlow, context) }
    }

    /// Sends a message about the session, if the endpoint's policy sends them.
    func announce(_ announcement: SocketAnnouncement, _ context: ChannelHandlerContext) {
        guard endpoint.policy.sendsSessionEvents, let data = try? JSONResponse.encode(announcement) else { return }
        send(.text, ByteBuffer(bytes: data), context)
    }

    /// Sends a close frame after all queued frames, and waits briefly for the client's close frame.
    ///
    /// Closing a connection that has unread data may discard written data (RFC 6455 section 7.1.1).
    func close(_ status: SocketCloseStatus, _ context: ChannelHandlerContext) {
        guard machine.beginClosing() else { return }
        end = (status, "server")
        if let reason = status.ended { announce(.sessionEnded(reason), context) }
        var data = ByteBuffer(integer: status.code)
        data.writeString(status.reason)
        send(.connectionClose, data, context)
        startCloseTimeout(context)
    }

    /// Echoes the client's close code, then closes the connection (RFC 6455 section 5.5.1).
    func replyToClose(_ code: UInt16?, _ context: ChannelHandlerContext) {
        guard machine.beginClosing() else { return }
        end = (code.map { SocketCloseStatus($0, "") } ?? .normal, "client")
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        send(.connectionClose, code.map { ByteBuffer(integer: $0) } ?? ByteBuffer(), context, written)
        startCloseTimeout(context)
    }

    private func startCloseTimeout(_ context: ChannelHandlerContext) {
        timers.set(.closeHandshake, after: limits.closeTimeout, on: context.eventLoop) { context.close(promise: nil) }
    }
}
