// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import NIOHTTP1

/// Answers `Expect: 100-continue` with 100 (RFC 9110 section 10.1.1), so that the client sends the body at once.
///
/// Nothing is sent if the body has begun to arrive, or if the response has begun. Earlier responses come first.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The number of requests whose responses are not written.
    private var unanswered = 0
    /// Whether the last request expects 100 and has sent no body.
    private var expectsContinue = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            expectsContinue =
                head.version == .http1_1
                && head.headers[canonicalForm: "Expect"].contains { $0.lowercased() == "100-continue" }
        case .body, .end: expectsContinue = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        sendContinueIfExpected(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if case .head = part, unanswered == 1 { expectsContinue = false }
        context.write(data, promise: promise)
        guard case .end = part else { return }
        unanswered = max(0, unanswered - 1)
        sendContinueIfExpected(context)
    }

    private func sendContinueIfExpected(_ context: ChannelHandlerContext) {
        guard expectsContinue, unanswered == 1 else { return }
        expectsContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }
}
