// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetIdentity
import FreshetWire
import Logging
import NIOCore
import NIOWebSocket

/// Drives one open socket: its frames, the actions of the state machine, and the timers.
///
/// Everything runs on the connection's event loop, except the listener and the token checks. While the listener or a
/// check runs, no further message is processed and the socket is not read, so that the queue stays bounded.
final class SocketConnection: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    let endpoint: SocketEndpoint
    let id: SocketID
    var machine: SocketStateMachine
    var timers = SocketTimers()
    /// The number of frames that the operating system has not accepted yet.
    var unwritten = 0
    /// The close status, and the side that closed the socket.
    var end: (status: SocketCloseStatus, by: String)?

    private var aggregator: WebSocketMessageAggregator
    private let rateLimit: RateLimit
    private var tokens = TokenBucket.full
    private var principal: SocketPrincipal?
    /// Messages that arrived while another was processed, in order; a close frame does not discard them.
    private var inboundEvents: [InboundEvent] = []
    /// Whether the client sent a close frame; its answer may have to wait for messages that arrived before it.
    private var isCloseReceived = false
    private var isBusy = false
    private var isReadPending = false
    private var opened = NIODeadline.distantPast
    private var lastReceived = NIODeadline.distantPast

    private enum InboundEvent {
        case message(SocketMessage)
        case close(UInt16?)
    }

    var limits: SocketLimits { endpoint.hub.limits }

    init(_ endpoint: SocketEndpoint, _ id: SocketID, _ claims: AccessClaims?) {
        self.endpoint = endpoint
        self.id = id
        machine = SocketStateMachine(endpoint.policy, claims)
        aggregator = WebSocketMessageAggregator(endpoint.hub.limits)
        rateLimit = RateLimit(capacity: endpoint.hub.limits.burst, interval: endpoint.hub.limits.messageInterval)
    }

    /// Returns the handlers that encode and decode frames.
    static func frameHandlers(
        _ limits: SocketLimits
    ) -> (encoder: WebSocketFrameEncoder, decoder: ByteToMessageHandler<WebSocketFrameDecoder>) {
        (WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limits.messageBytes)))
    }

    // MARK: - Lifecycle

    func handlerAdded(context: ChannelHandlerContext) {
        opened = context.eventLoop.now
        lastReceived = opened
        scheduleKeepAlive(context)
        if let claims = machine.claims {
            begin(claims, context)
        } else {
            guard endpoint.hub.open(id, OpenSocket(context.channel, limit: limits.queuedBytes)) else {
                return close(endpoint.policy.tooMany, context)
            }
            timers.set(.authentication, after: limits.authenticationTimeout, on: context.eventLoop) {
                if let status = self.machine.authenticationTimedOut() { self.close(status, context) }
            }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timers.stop()
        endpoint.hub.release(id)
        let (status, by) = end ?? (.lost, "network")
        let lasted = context.eventLoop.now - opened
        // Unauthenticated clients must not fill the log.
        endpoint.log.log(
            level: principal == nil ? .debug : .info,
            "socket closed",
            metadata: metadata.merging([
                "code": .stringConvertible(status.code), "reason": "\(status.reason)", "by": "\(by)",
                "duration_ms": .stringConvertible(lasted.nanoseconds / 1_000_000),
            ]) { $1 }
        )
    }

    /// Opens the socket of an authenticated client.
    private func begin(_ claims: AccessClaims, _ context: ChannelHandlerContext) {
        timers.cancel(.authentication)
        principal = SocketPrincipal(
            socket: id,
            session: claims.session,
            user: claims.user,
            contract: endpoint.policy.contract
        )
        // Registered before `ready` is sent, because the client may rely on all messages from then on.
        _ = endpoint.hub.open(id, OpenSocket(context.channel, limit: limits.queuedBytes))
        admit(claims, context)
        endpoint.log.info("socket opened", metadata: metadata)
        // The end of a session is recorded before its sockets are closed, so this check closes a socket that opens in
        // the meantime.
        if endpoint.bearer.ended.contains(claims.session) { close(endpoint.policy.invalid, context) }
    }

    private var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["socket": "\(id)"]
        if let principal {
            metadata["session"] = "\(principal.session)"
            metadata["user"] = "\(SessionID(principal.user))"
        }
        return metadata.naming(endpoint.policy.contract)
    }

    // MARK: - Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastReceived = context.eventLoop.now
        // After the server's close frame, only the client's close frame matters.
        if machine.isClosing { return frame.opcode == .connectionClose ? context.close(promise: nil) : () }
        // No frame may follow the client's close frame (RFC 6455 section 5.5.1).
        guard !isCloseReceived else { return }
        do throws(SocketCloseStatus) { try take(frame, context) } catch { close(error, context) }
    }

    private func take(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) throws(SocketCloseStatus) {
        // Fragments count as part of their message.
        let isFree = frame.opcode == .continuation || frame.opcode == .connectionClose
        let now = Timestamp(context.eventLoop.now)
        guard isFree || tokens.take(rateLimit, now: now) == nil else { throw .tooManyMessages }
        switch try aggregator.take(frame) {
        case .nothing, .pong: break
        case .ping(let data): send(.pong, data, context)
        case .close(let code):
            isCloseReceived = true
            inboundEvents.append(.close(code))
        case .message(let message): inboundEvents.append(.message(message))
        }
        processInbox(context)
    }

    func read(context: ChannelHandlerContext) {
        if isBusy { isReadPending = true } else { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is NIOWebSocketError where isCloseReceived: break
        case NIOWebSocketError.invalidFrameLength: close(.tooLarge, context)
        case is NIOWebSocketError: close(.protocolError, context)
        default: context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(.goingAway, context)
        // A half-closed connection cannot be used as a socket.
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Processes queued messages until one of them needs asynchronous work.
    private func processInbox(_ context: ChannelHandlerContext) {
        while !isBusy, !machine.isClosing, !inboundEvents.isEmpty {
            let message: SocketMessage
            switch inboundEvents.removeFirst() {
            case .close(let code): return replyToClose(code, context)
            case .message(let next): message = next
            }
            switch machine.receive(message) {
            case .ignore: break
            case .close(let status): close(status, context)
            case .check(let token):
                runOffEventLoop(context) { [endpoint] () async -> Result<AccessClaims, APIError> in
                    do throws(APIError) { return .success(try await endpoint.claims(of: token)) } catch {
                        return .failure(error)
                    }
                } then: {
                    self.tokenChecked($0, context)
                }
            case .deliver:
                guard let listener = endpoint.listener, let principal else { continue }
                runOffEventLoop(context) {
                    await listener(message, principal)
                } then: { _ in
                }
            }
        }
        if !isBusy, isReadPending {
            isReadPending = false
            context.read()
        }
    }

    /// Runs a job off the event loop; the socket processes no other message in the meantime.
    private func runOffEventLoop<Value: Sendable>(
        _ context: ChannelHandlerContext,
        _ job: @escaping @Sendable () async -> Value,
        then finish: @escaping (Value) -> Void
    ) {
        isBusy = true
        context.eventLoop.makeFutureWithTask(job).assumeIsolated().whenSuccess { value in
            guard !self.timers.areStopped else { return }
            self.isBusy = false
            // The socket was not read in the meantime, so the client does not count as silent.
            self.lastReceived = context.eventLoop.now
            finish(value)
            self.processInbox(context)
        }
    }

    private func tokenChecked(_ result: Result<AccessClaims, APIError>, _ context: ChannelHandlerContext) {
        // After another error the session's state is unknown; the client may reconnect, and does not have to refresh.
        if case .failure(let error) = result, error.code != .invalidToken { return close(.unavailable, context) }
        switch machine.tokenChecked(try? result.get()) {
        case .ignore: break
        case .close(let status): close(status, context)
        case .open(let claims):
            guard endpoint.hub.identify(id, as: claims, at: endpoint.policy.contract) else {
                return close(endpoint.policy.tooMany, context)
            }
            begin(claims, context)
        case .renew(let claims): admit(claims, context)
        }
    }

    // MARK: - Timers

    /// Announces the token's lifetime to the client, and closes the socket when it expires.
    private func admit(_ claims: AccessClaims, _ context: ChannelHandlerContext) {
        let left = claims.expiresAt - endpoint.bearer.clock()
        announce(.ready(claims.session, expiresIn: max(0, left.wholeSeconds)), context)
        expire(after: left, context)
    }

    private func expire(after span: Duration, _ context: ChannelHandlerContext) {
        timers.set(.expiry, after: span, on: context.eventLoop) {
            guard let claims = self.machine.claims else { return }
            let now = self.endpoint.bearer.clock()
            if let status = self.machine.checkExpiry(at: now) { return self.close(status, context) }
            self.expire(after: claims.expiresAt - now, context)
        }
    }

    /// Pings periodically, and closes the socket if its peer is silent or its token has expired.
    private func scheduleKeepAlive(_ context: ChannelHandlerContext) {
        timers.set(.keepAlive, after: limits.pingInterval, on: context.eventLoop) {
            guard !self.machine.isClosing else { return }
            let silence = context.eventLoop.now - self.lastReceived
            if !self.isBusy, silence >= .milliseconds(self.limits.silenceTimeout.milliseconds) {
                // The peer is gone and would not read a close frame.
                self.end = (.silent, "network")
                return context.close(promise: nil)
            }
            // The system's clock may have been set since the expiry timer was scheduled.
            if let status = self.machine.checkExpiry(at: self.endpoint.bearer.clock()) {
                return self.close(status, context)
            }
            self.send(.ping, ByteBuffer(), context)
            self.scheduleKeepAlive(context)
        }
    }
}

extension Timestamp {
    /// A reading of the event loop's monotonic clock, for the rate limit.
    fileprivate init(_ moment: NIODeadline) {
        self.init(milliseconds: Int64(moment.uptimeNanoseconds / 1_000_000))
    }
}
