// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers the most frequent requests on the event loop, without the router and without a task.
///
/// It takes the requests that ``FastPathResponder`` can answer, in the form in which clients send them. All other
/// requests, and those that are unusual in any way, go to the router, whose responses the fast path must reproduce.
/// Requests that arrive while the client does not read also go to the router, which waits for the client.
final class FastPathHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let fastPath: FastPathResponder
    private var machine = FastPathStateMachine()
    /// The address of the peer, read once per connection because it does not change.
    private var peer: SourceAddress?
    /// Whether the router has closed its half, so that no further request is answered (RFC 9112 section 9.6).
    private var isEnding = false
    /// Whether the client's half-close is held back, because the router would close the other half.
    private var hasInputEnded = false
    private var wantsRead = false
    private var isProcessingHeldParts = false
    /// The completion of the last response's write; `nil` unless the client has closed its half.
    private var lastAnswer: EventLoopFuture<Void>?

    init(_ fastPath: FastPathResponder) {
        self.fastPath = fastPath
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // The channel's address is used, because reading the context's address crashes the process on an HTTP/2 stream.
        peer = context.channel.remoteAddress.flatMap { SourceAddress($0) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        act(on: part, machine.read(part) { isEligible($0, context) }, context)
    }

    private func isEligible(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
        !isEnding && context.channel.isWritable && fastPath.answers(head)
    }

    private func act(
        on part: HTTPRequestPart,
        _ reading: FastPathStateMachine.Action,
        _ context: ChannelHandlerContext
    ) {
        switch reading {
        case .pass: context.fireChannelRead(wrapInboundOut(part))
        case .wait: break
        case .take(let head, let body):
            let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            guard let route = FastPathRoute(head.method, head.path) else {
                return returnToRouter([.head(head), .body(body), .end(nil)], context)
            }
            let isTaken = body.withUnsafeReadableBytes { body in
                fastPath.take(route, head.headerFields, body, from: peer, on: context.eventLoop, by: .parts) { answer in
                    let (handler, context) = loopBound.value
                    handler.write(answer, context)
                }
            }
            if !isTaken { returnToRouter([.head(head), .body(body), .end(nil)], context) }
        }
    }

    private func returnToRouter(_ parts: [HTTPRequestPart], _ context: ChannelHandlerContext) {
        machine.returnToRouter()
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
        processHeldParts(context)
    }

    private func write(_ answer: FastPathResponder.Response, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return machine.abandon() }
        guard machine.finish() else { return }
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        if let body = answer.body { context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil) }
        let promise = hasInputEnded ? context.eventLoop.makePromise(of: Void.self) : nil
        lastAnswer = promise?.futureResult
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
        processHeldParts(context)
    }

    /// Processes the held parts, and lets the connection read on.
    private func processHeldParts(_ context: ChannelHandlerContext) {
        // A response that is available at once re-enters this method from the loop below.
        guard !isProcessingHeldParts else { return }
        isProcessingHeldParts = true
        let hasHeld = machine.isHolding
        while let (part, reading) = machine.readHeld(isEligible: { isEligible($0, context) }) {
            act(on: part, reading, context)
        }
        isProcessingHeldParts = false
        if hasHeld { context.fireChannelReadComplete() }
        guard !machine.isAnswering else { return }
        if hasInputEnded { forwardInputClosed(context) }
        if wantsRead {
            wantsRead = false
            context.read()
        }
    }

    /// Forwards the client's half-close to the router once the responses are written.
    private func forwardInputClosed(_ context: ChannelHandlerContext) {
        hasInputEnded = false
        guard let lastAnswer else { return context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        lastAnswer.assumeIsolated().whenComplete { _ in context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    // MARK: - Channel events

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if machine.isAnswering, case .inputClosed = event as? ChannelEvent {
            hasInputEnded = true
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Stops reading while parts are held, so that a client cannot send without limit.
    func read(context: ChannelHandlerContext) {
        guard machine.isHolding else { return context.read() }
        wantsRead = true
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { machine.answered() }
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isEnding = true
        context.close(mode: mode, promise: promise)
    }
}
