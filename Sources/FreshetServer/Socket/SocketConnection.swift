// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Logging
import NIOCore
import NIOWebSocket

/// Drives one open socket: frames in and out, what the state machine decides, and the clocks.
///
/// Everything here runs on the connection's event loop, but for the listener and for looking at tokens. While one of these
/// works, no further message is taken and nothing is read, so that nothing piles up.
final class SocketConnection: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    let door: SocketDoor
    let id: SocketID
    var machine: SocketStateMachine
    var alarms = SocketAlarms()
    /// Frames that the operating system has not taken yet.
    var unwritten = 0
    /// Why the socket closes, and who wanted it.
    var end: (closure: SocketClosure, by: String)?

    private var assembly: MessageAssembly
    private let rateLimit: RateLimit
    private var tokens = TokenBucket.full
    private var principal: SocketPrincipal?
    /// What came while a message was at work, in order: a close is no reason to forget what was said before.
    private var inbox: [Arrival] = []
    private var isBusy = false
    private var isReadHeld = false
    private var opened = NIODeadline.distantPast
    private var lastHeard = NIODeadline.distantPast

    private enum Arrival {
        case message(SocketMessage)
        case close(UInt16?)
    }

    var limits: SocketLimits { door.hub.limits }

    init(_ door: SocketDoor, _ id: SocketID, _ claims: AccessClaims?) {
        self.door = door
        self.id = id
        machine = SocketStateMachine(door.terms, claims)
        assembly = MessageAssembly(door.hub.limits)
        rateLimit = RateLimit(capacity: door.hub.limits.burst, interval: door.hub.limits.messageInterval)
    }

    // MARK: - Beginning and end

    func handlerAdded(context: ChannelHandlerContext) {
        opened = context.eventLoop.now
        lastHeard = opened
        startRounds(context)
        if let claims = machine.claims {
            begin(claims, context)
        } else {
            guard door.hub.open(id, OpenSocket(context.channel, limit: limits.queuedBytes)) else {
                return close(door.terms.tooMany, context)
            }
            alarms.set(.authentication, after: limits.authenticationTimeout, on: context.eventLoop) {
                if let closure = self.machine.runOut() { self.close(closure, context) }
            }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarms.stop()
        door.hub.release(id)
        let (closure, by) = end ?? (.lost, "network")
        let lasted = context.eventLoop.now - opened
        // Strangers shall not fill the log.
        door.log.log(
            level: principal == nil ? .debug : .info,
            "socket closed",
            metadata: metadata.merging([
                "code": .stringConvertible(closure.code), "reason": "\(closure.reason)", "by": "\(by)",
                "duration_ms": .stringConvertible(lasted.nanoseconds / 1_000_000),
            ]) { $1 }
        )
    }

    /// The client is known from here on.
    private func begin(_ claims: AccessClaims, _ context: ChannelHandlerContext) {
        alarms.cancel(.authentication)
        principal = SocketPrincipal(socket: id, session: claims.session, user: claims.user, dialect: door.terms.dialect)
        // Before the client is told.
        _ = door.hub.open(id, OpenSocket(context.channel, limit: limits.queuedBytes))
        admit(claims, context)
        door.log.info("socket opened", metadata: metadata)
        // Whoever ends a session notes it first and then closes its sockets: one of us sees the other.
        if door.bearer.ended.contains(claims.session) { close(door.terms.invalid, context) }
    }

    private var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["socket": "\(id)"]
        if let principal {
            metadata["session"] = "\(principal.session)"
            metadata["user"] = "\(SessionID(principal.user))"
        }
        return metadata.naming(door.terms.dialect)
    }

    // MARK: - What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastHeard = context.eventLoop.now
        // Of a client that was told to go only its answer is of interest.
        if machine.isClosing { return frame.opcode == .connectionClose ? context.close(promise: nil) : () }
        do throws(SocketClosure) { try take(frame, context) } catch { close(error, context) }
    }

    private func take(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(SocketClosure) {
        // Fragments are counted with their message.
        let isFree = frame.opcode == .continuation || frame.opcode == .connectionClose
        let now = Timestamp(context.eventLoop.now)
        guard isFree || tokens.take(rateLimit, now: now) == nil else { throw .tooManyMessages }
        switch try assembly.take(frame) {
        case .nothing, .pong: break
        case .ping(let data): send(.pong, data, context)
        case .close(let code): inbox.append(.close(code))
        case .message(let message): inbox.append(.message(message))
        }
        work(context)
    }

    func read(context: ChannelHandlerContext) {
        if isBusy { isReadHeld = true } else { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: close(.tooLarge, context)
        case is NIOWebSocketError: close(.protocolError, context)
        default: context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(.goingAway, context)
        // Half a connection is no socket.
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Takes the next message, if nothing is at work.
    private func work(_ context: ChannelHandlerContext) {
        while !isBusy, !machine.isClosing, !inbox.isEmpty {
            let message: SocketMessage
            switch inbox.removeFirst() {
            case .close(let code): return answerClose(code, context)
            case .message(let next): message = next
            }
            switch machine.receive(message) {
            case .ignore: break
            case .close(let closure): close(closure, context)
            case .check(let token):
                aside(context) { [door] () async -> Result<AccessClaims, APIError> in
                    do throws(APIError) { return .success(try await door.claims(of: token)) } catch {
                        return .failure(error)
                    }
                } then: {
                    self.finishCheck($0, context)
                }
            case .hand:
                guard let listener = door.listener, let principal else { continue }
                aside(context) {
                    await listener(message, principal)
                } then: { _ in
                }
            }
        }
        if !isBusy, isReadHeld {
            isReadHeld = false
            context.read()
        }
    }

    /// Does something off the event loop, with this socket waiting for it.
    private func aside<Value: Sendable>(
        _ context: ChannelHandlerContext,
        _ job: @escaping @Sendable () async -> Value,
        then finish: @escaping (Value) -> Void
    ) {
        isBusy = true
        context.eventLoop.makeFutureWithTask(job).assumeIsolated().whenSuccess { value in
            guard !self.alarms.areStopped else { return }
            self.isBusy = false
            // Whatever the client said meanwhile was not read.
            self.lastHeard = context.eventLoop.now
            finish(value)
            self.work(context)
        }
    }

    private func finishCheck(_ result: Result<AccessClaims, APIError>, _ context: ChannelHandlerContext) {
        // Nothing is known of the session then; the client may connect again, and need not refresh.
        if case .failure(let error) = result, error.code != .invalidToken { return close(.unavailable, context) }
        switch machine.finishCheck(try? result.get()) {
        case .ignore: break
        case .close(let closure): close(closure, context)
        case .open(let claims):
            guard door.hub.identify(id, as: claims, at: door.terms.dialect) else {
                return close(door.terms.tooMany, context)
            }
            begin(claims, context)
        case .renew(let claims): admit(claims, context)
        }
    }

    // MARK: - Time

    /// Lets the client stay until its token ends, and says so.
    private func admit(_ claims: AccessClaims, _ context: ChannelHandlerContext) {
        let left = claims.expiresAt - door.bearer.clock()
        announce(.ready(claims.session, expiresIn: max(0, left.wholeSeconds)), context)
        expire(after: left, context)
    }

    private func expire(after span: Duration, _ context: ChannelHandlerContext) {
        alarms.set(.expiry, after: span, on: context.eventLoop) {
            guard let claims = self.machine.claims else { return }
            let now = self.door.bearer.clock()
            if let closure = self.machine.look(at: now) { return self.close(closure, context) }
            self.expire(after: claims.expiresAt - now, context)
        }
    }

    /// Asks once in a while whether anybody is there, and may still be.
    private func startRounds(_ context: ChannelHandlerContext) {
        alarms.set(.round, after: limits.pingInterval, on: context.eventLoop) {
            guard !self.machine.isClosing else { return }
            let silence = context.eventLoop.now - self.lastHeard
            if !self.isBusy, silence >= .milliseconds(self.limits.silenceTimeout.milliseconds) {
                // Nobody is there to read a close frame.
                self.end = (.silent, "network")
                return context.close(promise: nil)
            }
            // The machine's clock may have been set since the alarm was.
            if let closure = self.machine.look(at: self.door.bearer.clock()) { return self.close(closure, context) }
            self.send(.ping, ByteBuffer(), context)
            self.startRounds(context)
        }
    }
}

extension Timestamp {
    /// By the loop's clock, which nobody sets: for counting.
    fileprivate init(_ moment: NIODeadline) {
        self.init(milliseconds: Int64(moment.uptimeNanoseconds / 1_000_000))
    }
}
