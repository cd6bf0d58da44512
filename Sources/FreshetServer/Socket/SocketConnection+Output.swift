// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import NIOCore
import NIOWebSocket

/// What goes out, up to the last frame.
extension SocketConnection {
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let order = event as? OpenSocket.Order else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch order {
        case .end(let reason): close(door.terms.closure(ended: reason), context)
        case .drop: close(.tooSlow, context)
        case .giveWay: close(door.terms.tooMany, context)
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
            self.alarms.cancel(.writing)
            self.watchWriting(context)
        }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: written)
        watchWriting(context)
    }

    /// As long as something waits, something must be written now and then.
    private func watchWriting(_ context: ChannelHandlerContext) {
        guard unwritten > 0, !machine.isClosing, !alarms.isSet(.writing) else { return }
        alarms.set(.writing, after: limits.writeTimeout, on: context.eventLoop) { self.close(.tooSlow, context) }
    }

    /// Says something of the session, where the socket does that.
    func announce(_ announcement: SocketAnnouncement, _ context: ChannelHandlerContext) {
        guard door.terms.announces, let data = try? JSONAnswer.encode(announcement) else { return }
        send(.text, ByteBuffer(bytes: data), context)
    }

    /// Sends a close frame behind all that was sent, and gives the client a moment to answer it.
    ///
    /// A connection that is closed with something unread may take back what was written (RFC 6455 section 7.1.1).
    func close(_ closure: SocketClosure, _ context: ChannelHandlerContext) {
        guard machine.beginClosing() else { return }
        end = (closure, "server")
        if let reason = closure.ended { announce(.sessionEnded(reason), context) }
        var data = ByteBuffer(integer: closure.code)
        data.writeString(closure.reason)
        send(.connectionClose, data, context)
        part(context)
    }

    /// The client closes: it gets its own code back, and then the connection goes (RFC 6455 section 5.5.1).
    func answerClose(_ code: UInt16?, _ context: ChannelHandlerContext) {
        guard machine.beginClosing() else { return }
        end = (code.map { SocketClosure($0, "") } ?? .normal, "client")
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        send(.connectionClose, code.map { ByteBuffer(integer: $0) } ?? ByteBuffer(), context, written)
        part(context)
    }

    private func part(_ context: ChannelHandlerContext) {
        alarms.set(.farewell, after: limits.closeTimeout, on: context.eventLoop) { context.close(promise: nil) }
    }
}
