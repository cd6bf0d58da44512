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

/// Watches one connection: a request that does not arrive in time, and one that is no HTTP, get their error as JSON
/// and the connection is closed.
///
/// A body that never comes, as in the truncated repeat that some HTTP clients send after a lost connection, holds a
/// connection for the body's time limit and nothing else.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Phase {
        case head
        case body
        /// The request is complete; the server's own time is not limited here.
        case answer
        case closing
    }

    /// How long a refusal may take to be read.
    private static let patience = TimeAmount.seconds(2)
    /// How long a client waits for each further piece of a body to be taken that nobody wants.
    private static let reluctance = TimeAmount.milliseconds(20)

    private let limits: RequestLimits
    private let log: Logger
    private var phase = Phase.head
    /// When the client's time is over; `nil` while it is the server's turn.
    private var deadline: NIODeadline?
    /// Goes off at the deadline or before it: a request moves its deadline twice, and seldom needs another timer for it.
    private var timer: (due: NIODeadline, task: Scheduled<Void>)?
    private var hasAnswerBegun = false
    /// How many requests wait for the end of their answers.
    private var unanswered = 0
    /// How much of the request's body came.
    private var bodyBytes = 0
    /// Takes the next piece of a body that nobody wants.
    private var lateRead: Scheduled<Void>?

    /// Since when the connection waits, if others saw to it until now.
    private let wait: RequestWait?

    init(_ limits: RequestLimits, after wait: RequestWait? = nil, log: Logger) {
        self.limits = limits
        self.wait = wait
        self.log = log
        hasAnswerBegun = wait?.hasAnswered ?? false
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let limit = hasAnswerBegun ? limits.idleTimeout : limits.headTimeout
        expect(limit, since: wait?.since, context)
    }

    func channelActive(context: ChannelHandlerContext) {
        expect(limits.headTimeout, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimers()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelTimers() }

    private func cancelTimers() {
        timer?.task.cancel()
        lateRead?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case _ where phase == .closing:
            return
        case .head(let head):
            let size = head.headerFields.reduce((head.path ?? "").utf8.count) {
                $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
            }
            hasAnswerBegun = false
            bodyBytes = 0
            guard size <= limits.headerBytes else {
                return refuse(.headersTooLarge, "the header fields are too large", context)
            }
            phase = .body
            unanswered += 1
            expect(limits.bodyTimeout, context)
        case .body(let part):
            // Whoever reads it knows by what came before that it is too large.
            guard bodyBytes <= limits.bodyBytes else { return }
            bodyBytes += part.readableBytes
        case .end where unanswered == 0:
            // It was answered before its end.
            phase = .head
            expect(limits.idleTimeout, context)
        case .end:
            phase = .answer
            deadline = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if phase == .closing {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head: hasAnswerBegun = true
        case .body: break
        case .end:
            unanswered = max(0, unanswered - 1)
            // An answer before the body's end leaves the rest of the body under its own deadline.
            if phase == .answer, unanswered == 0 {
                phase = .head
                expect(limits.idleTimeout, context)
            }
        }
        context.write(data, promise: promise)
    }

    /// What is too large anyhow is taken slowly: whoever sends it gets the answer, and no processor's time of the others'.
    func read(context: ChannelHandlerContext) {
        guard bodyBytes > limits.bodyBytes, phase == .body else { return context.read() }
        guard lateRead == nil else { return }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        lateRead = context.eventLoop.scheduleTask(in: Self.reluctance) {
            let (connection, context) = loopBound.value
            connection.lateRead = nil
            context.read()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow:
            refuse(.headersTooLarge, "the header fields are too large", context)
        case is HTTPParserError:
            refuse(.invalidRequest, "not an HTTP/1.1 request", context)
        default:
            context.fireErrorCaught(error)
        }
    }

    private func expect(_ limit: Duration, since start: NIODeadline? = nil, _ context: ChannelHandlerContext) {
        let end = (start ?? context.eventLoop.now) + .milliseconds(limit.milliseconds)
        deadline = end
        if let timer, timer.due <= end { return }
        timer?.task.cancel()
        wake(at: end, context)
    }

    private func wake(at moment: NIODeadline, _ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: moment) {
            let (connection, context) = loopBound.value
            connection.timer = nil
            guard let deadline = connection.deadline else { return }
            if context.eventLoop.now < deadline { return connection.wake(at: deadline, context) }
            connection.runOut(context)
        }
        timer = (moment, task)
    }

    private func runOut(_ context: ChannelHandlerContext) {
        switch phase {
        case .head where limits.idleTimeout > .zero && hasAnswerBegun: context.close(promise: nil)
        case .head, .body: refuse(.requestTimeout, "the request did not arrive in time", context)
        case .answer, .closing: break
        }
    }

    private func refuse(_ code: ErrorCode, _ description: String, _ context: ChannelHandlerContext) {
        guard phase != .closing else { return }
        // A refusal must not be taken for the answer to a request before it.
        let isBehindOthers = unanswered > (phase == .body ? 1 : 0)
        deadline = nil
        timer?.task.cancel()
        phase = .closing
        guard !hasAnswerBegun, !isBehindOthers else { return context.close(promise: nil) }
        let id = RequestID().description
        log.debug("request refused", metadata: ["request_id": "\(id)", "error": "\(code.rawValue)"])
        let body = (try? JSONAnswer.body(of: APIError(code, description), requestID: id)) ?? Data()
        var fields = JSONAnswer.headers
        fields[.connection] = "close"
        fields[.contentLength] = String(body.count)
        let head = HTTPResponse(status: .init(code: code.status), headerFields: fields)
        let promise = context.eventLoop.makePromise(of: Void.self)
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // A client that does not read, or never said a word of TLS, would hold the connection with the answer.
        let end = context.eventLoop.now + Self.patience
        timer = (end, context.eventLoop.scheduleTask(deadline: end) { loopBound.value.close(promise: nil) })
        promise.futureResult.whenComplete { _ in loopBound.value.close(promise: nil) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    }
}
