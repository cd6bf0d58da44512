// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Enforces the timeouts and size limits of an HTTP/1.1 connection or an HTTP/2 stream.
///
/// A request that does not arrive in time, or that is not HTTP, is answered with a JSON error; a peer that does not
/// read its response is disconnected. A body that never arrives, as when some HTTP clients repeat a request without its
/// body after a lost connection, occupies only the connection, until the body timeout.
final class RequestTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The time that a client has to read a refusal.
    private static let refusalTimeout = TimeAmount.seconds(2)
    /// The interval at which pieces of an oversized body are read and discarded.
    private static let discardInterval = TimeAmount.milliseconds(20)
    /// The size of the pieces in which a body is written.
    ///
    /// A client that reads this many bytes within the write timeout is not disconnected.
    private static let writeChunkSize = 16 * 1024

    private let log: Logger
    private let limiter: HTTPPipeliningLimiter?
    private let isStream: Bool
    private var machine: RequestTimeoutStateMachine
    /// The idle state from the handler that read the requests before, if any.
    private let wait: IdleState?
    /// The timer, which fires at the deadline or before it: a request moves the deadline twice, and rarely needs
    /// another timer.
    private var timer: (due: NIODeadline, task: Scheduled<Void>)?
    /// Reads the next piece of an oversized body.
    private var delayedRead: Scheduled<Void>?

    /// Creates a handler for one connection or stream.
    ///
    /// - Parameters:
    ///   - limits: The timeouts of a connection, and the maximum sizes of a request.
    ///   - wait: The idle state from the handler that read the requests before, if any.
    ///   - limiter: Counts requests and responses; `nil` for a stream, which has one of each.
    ///   - isStream: Whether the channel is an HTTP/2 stream, whose parent is the connection.
    ///   - log: Logs each refusal, at debug level.
    init(
        _ limits: RequestLimits,
        after wait: IdleState? = nil,
        limiter: HTTPPipeliningLimiter? = nil,
        isStream: Bool = false,
        log: Logger
    ) {
        self.wait = wait
        self.limiter = limiter
        self.isStream = isStream
        self.log = log
        machine = RequestTimeoutStateMachine(limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        open(context)
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        machine.opened(after: wait, at: context.eventLoop.now)
        // Another handler may have written more than the peer reads.
        machine.writabilityChanged(to: context.channel.isWritable, at: context.eventLoop.now)
        watch(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimers()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelTimers() }

    private func cancelTimers() {
        timer?.task.cancel()
        timer = nil
        delayedRead?.cancel()
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !machine.discardsInput else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let size = head.headerFields.reduce((head.path ?? "").utf8.count) {
                $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
            }
            guard machine.headReceived(bytes: size, at: context.eventLoop.now) else {
                return refuse(.headersTooLarge, "the header fields are too large", context)
            }
            limiter?.requestReceived()
        case .body(let part):
            guard machine.bodyReceived(bytes: part.readableBytes) else { return }
        case .end: machine.requestEnded(at: context.eventLoop.now)
        }
        watch(context)
        context.fireChannelRead(data)
    }

    /// Throttles the reads of an oversized body.
    ///
    /// The client gets its response, without taking CPU time from others.
    func read(context: ChannelHandlerContext) {
        guard machine.throttlesReads else { return context.read() }
        guard delayedRead == nil else { return }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        delayedRead = context.eventLoop.scheduleTask(in: Self.discardInterval) {
            let (connection, context) = loopBound.value
            connection.delayedRead = nil
            context.read()
        }
    }

    // MARK: - Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !machine.isClosing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head:
            machine.responseBegan()
            context.write(data, promise: promise)
        case .body(let body) where body.readableBytes > Self.writeChunkSize: write(body, context, promise)
        case .body: context.write(data, promise: promise)
        case .end:
            machine.responseEnded(at: context.eventLoop.now)
            context.write(data, promise: watched(promise, context))
            limiter?.responseWritten()
        }
    }

    /// Writes a long body in pieces, to distinguish a slow reader from one that does not read.
    private func write(_ body: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        var rest = body
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.writeChunkSize)), piece.readableBytes > 0
        {
            let part = wrapOutboundOut(.body(piece))
            context.write(part, promise: watched(rest.readableBytes == 0 ? promise : nil, context))
        }
    }

    /// Returns a promise whose completion counts as the peer's progress.
    private func watched(
        _ promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        machine.writeBegan(at: context.eventLoop.now)
        watch(context)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in
            if machine.writeEnded(at: context.eventLoop.now) { context.close(promise: nil) }
        }
        return written
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        machine.writabilityChanged(to: context.channel.isWritable, at: context.eventLoop.now)
        watch(context)
        context.fireChannelWritabilityChanged()
    }

    // MARK: - Timeouts

    /// Schedules a timer for the deadline, unless one is due before it.
    private func watch(_ context: ChannelHandlerContext) {
        guard let deadline = machine.deadline else { return }
        if let timer, timer.due <= deadline { return }
        timer?.task.cancel()
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: deadline) {
            let (connection, context) = loopBound.value
            connection.timer = nil
            connection.deadlineReached(context)
        }
        timer = (deadline, task)
    }

    private func deadlineReached(_ context: ChannelHandlerContext) {
        switch machine.deadlineReached(at: context.eventLoop.now) {
        case .wait: watch(context)
        case .close: context.close(promise: nil)
        case .refuse: refuse(.requestTimeout, "the request did not arrive in time", context)
        case .closeImmediately:
            log.debug("a client does not read its response and is disconnected")
            // A client that opens no window for one stream also blocks the others.
            if isStream { context.close(promise: nil) }
            (isStream ? context.channel.parent : context.channel)?.closeImmediately()
        }
    }

    // MARK: - Refusals

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow:
            refuse(.headersTooLarge, "the header fields are too large", context)
        case is HTTPParserError, is InvalidRequestError:
            refuse(.invalidRequest, isStream ? "not a valid request" : "not an HTTP/1.1 request", context)
        default:
            context.fireErrorCaught(error)
        }
    }

    private func refuse(_ code: ErrorCode, _ description: String, _ context: ChannelHandlerContext) {
        let action = machine.refuse()
        guard action != .ignore else { return }
        timer?.task.cancel()
        timer = nil
        switch action {
        case .respond: break
        case .close: return context.close(promise: nil)
        // The write timeout still applies.
        case .closeAfterResponses, .ignore: return watch(context)
        }
        let id = RequestID().description
        log.debug("request refused", metadata: ["request_id": "\(id)", "error": "\(code.rawValue)"])
        let body = (try? JSONResponse.body(of: APIError(code, description), requestID: id)) ?? Data()
        var fields = JSONResponse.headers
        fields[.connection] = "close"
        fields[.contentLength] = String(body.count)
        let head = HTTPResponse(status: .init(code: code.status), headerFields: fields)
        let promise = context.eventLoop.makePromise(of: Void.self)
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // A client that does not read, or never started TLS, would keep the connection open.
        let end = context.eventLoop.now + Self.refusalTimeout
        timer = (end, context.eventLoop.scheduleTask(deadline: end) { loopBound.value.close(promise: nil) })
        promise.futureResult.whenComplete { _ in loopBound.value.close(promise: nil) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    }
}
