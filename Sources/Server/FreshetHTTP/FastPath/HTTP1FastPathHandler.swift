// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetHTTPParser
import NIOCore

/// Answers fast-path requests from an HTTP/1.1 connection's bytes, before the connection has other handlers.
///
/// Most clients send only such requests, so most connections never need other handlers. At the first bytes that are not
/// a fast-path request, the connection gets the fallback handlers, which read these bytes first.
final class HTTP1FastPathHandler<Fallback: Sendable>: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Adds the fallback handlers to the channel, which read all further bytes.
    typealias MakeFallback = (any Channel, IdleState) throws -> Fallback

    /// The time after which an incomplete request goes to the fallback, whose limits apply then.
    private static var partialRequestTimeout: TimeAmount { .seconds(1) }
    /// The time that a client has to read its responses before the connection is closed.
    private static var finalWriteTimeout: TimeAmount { .seconds(2) }

    private let fastPath: FastPathResponder
    private let limits: RequestLimits
    private let makeFallback: MakeFallback
    private let fallback: EventLoopPromise<Fallback>
    private var machine: HTTP1FastPathStateMachine
    /// The address of the peer, read once per connection because it does not change.
    private var peer: SourceAddress?
    private var wait = IdleState()
    /// The deadline of the held bytes; `nil` if none are held.
    private var partialRequestDeadline: NIODeadline?
    /// The timer, which fires at the deadline or before it: requests move the deadline, and rarely need another timer.
    private var timer: (due: NIODeadline, task: Scheduled<Void>)?
    private var wantsRead = false
    /// Events received while a response was pending, for the fallback handlers.
    private var events: [Any] = []

    /// Creates a handler for one connection.
    ///
    /// - Parameters:
    ///   - fastPath: Answers the requests.
    ///   - limits: The timeouts of a connection, and the maximum sizes of a request.
    ///   - fallback: Completed with the fallback channel; fails if the connection closes before it needs one.
    ///   - makeFallback: Adds the fallback handlers.
    init(
        _ fastPath: FastPathResponder,
        _ limits: RequestLimits,
        fallback: EventLoopPromise<Fallback>,
        makeFallback: @escaping MakeFallback
    ) {
        self.fastPath = fastPath
        self.limits = limits
        self.fallback = fallback
        self.makeFallback = makeFallback
        machine = HTTP1FastPathStateMachine(FastPathRoute.parser(limits))
    }

    // MARK: - Connection

    func handlerAdded(context: ChannelHandlerContext) {
        peer = context.channel.remoteAddress.flatMap { SourceAddress($0) }
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        wait.since = context.eventLoop.now
        watch(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        machine.abandon()
        timer?.task.cancel()
        timer = nil
        // Has no effect if the fallback was completed before.
        fallback.fail(ChannelError.alreadyClosed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed || event is ChannelShouldQuiesceEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        let action = machine.finish()
        if case .pass = action { return context.fireUserInboundEventTriggered(event) }
        events.append(event)
        act(action, context)
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let action = machine.read(unwrapInboundIn(data), canAnswer: context.channel.isWritable)
        if case .pass = action { context.fireChannelRead(data) } else { act(action, context) }
    }

    /// Stops reading while bytes are held, so that a client cannot send without limit.
    func read(context: ChannelHandlerContext) {
        guard machine.isAnswering && machine.isHolding else { return context.read() }
        wantsRead = true
    }

    private func act(_ action: HTTP1FastPathStateMachine.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .wait: if machine.isHolding && !machine.isAnswering { startPartialRequestTimeout(context) }
        case .pass: break
        case .close: close(context)
        case .handOff(let bytes): installFallback(bytes, context)
        case .take(let request, let bytes): take(request, bytes, context)
        }
    }

    private func take(_ request: FastPathRequest, _ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        partialRequestDeadline = nil
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let route = FastPathRoute(request)
        let isTaken = bytes.withUnsafeReadableBytes { bytes in
            fastPath.take(
                route,
                route.fields(request, in: bytes),
                UnsafeRawBufferPointer(rebasing: bytes[request.body]),
                from: peer,
                on: context.eventLoop,
                by: .direct
            ) { answer in
                let (handler, context) = loopBound.value
                handler.write(answer, context)
            }
        }
        if !isTaken { act(machine.declined(bytes), context) }
    }

    private func write(_ answer: FastPathResponder.Response, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return machine.abandon() }
        guard machine.isAnswering else { return }
        var bytes = context.channel.allocator.buffer(capacity: 1536)
        answer.write(to: &bytes)
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        wait = IdleState(since: context.eventLoop.now, hasAnswered: true)
        watch(context)
        act(machine.answered(canAnswer: context.channel.isWritable), context)
        if wantsRead && !(machine.isAnswering && machine.isHolding) {
            wantsRead = false
            context.read()
        }
    }

    /// Adds the fallback handlers, forwards the held bytes and events, and removes this handler.
    private func installFallback(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        // The body timeout runs from the arrival of the head, whichever handler read it.
        wait.received = partialRequestDeadline.map { $0 - Self.partialRequestTimeout }
        do { fallback.succeed(try makeFallback(context.channel, wait)) } catch {
            fallback.fail(error)
            return context.close(promise: nil)
        }
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        // Handlers that batch reads wait for this event. If a response or a timeout led to the fallback, the channel
        // fires no such event afterwards.
        context.fireChannelReadComplete()
        for event in events { context.fireUserInboundEventTriggered(event) }
        if wantsRead { context.read() }
        wantsRead = false
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Closes the connection once all responses are written, or the client does not read them.
    private func close(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let isOut = context.eventLoop.makePromise(of: Void.self)
        let end = context.eventLoop.scheduleTask(in: Self.finalWriteTimeout) { loopBound.value.close(promise: nil) }
        isOut.futureResult.whenComplete { _ in
            end.cancel()
            loopBound.value.close(promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: isOut)
    }

    // MARK: - Timeouts

    private var deadline: NIODeadline {
        let limit = wait.hasAnswered ? limits.idleTimeout : limits.headTimeout
        let end = wait.since + .milliseconds(limit.milliseconds)
        return partialRequestDeadline.map { min($0, end) } ?? end
    }

    private func startPartialRequestTimeout(_ context: ChannelHandlerContext) {
        guard partialRequestDeadline == nil else { return }
        partialRequestDeadline = context.eventLoop.now + Self.partialRequestTimeout
        watch(context)
    }

    private func watch(_ context: ChannelHandlerContext) {
        let due = deadline
        if let timer, timer.due <= due { return }
        timer?.task.cancel()
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: due) {
            let (handler, context) = loopBound.value
            handler.timer = nil
            // No deadline applies to a request being answered; its response schedules the next timer.
            if handler.machine.isAnswering { return }
            guard context.eventLoop.now >= handler.deadline else { return handler.watch(context) }
            let isIdle = handler.wait.hasAnswered && handler.limits.idleTimeout > .zero
            handler.act(handler.machine.timedOut(isIdle: isIdle), context)
        }
        timer = (due, task)
    }
}
