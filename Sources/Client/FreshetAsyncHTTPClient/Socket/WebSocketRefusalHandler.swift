// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import Foundation
    import FreshetKit
    import NIOCore
    import NIOHTTP1

    /// Reads a response other than 101, with its body up to a limit, and closes the connection.
    final class WebSocketRefusalHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let promise: EventLoopPromise<WebSocketRefusal>
        private var refusal: WebSocketRefusal?

        init(_ promise: EventLoopPromise<WebSocketRefusal>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                refusal = WebSocketRefusal(status: Int(head.status.code), headers: head.headers.combined)
            case .body(let part):
                guard var refusal else { return }
                refusal.body.append(
                    contentsOf: part.readableBytesView.prefix(WebSocketRefusal.largestBody - refusal.body.count)
                )
                self.refusal = refusal
                if refusal.body.count == WebSocketRefusal.largestBody { finish(context) }
            case .end: finish(context)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            finish(context)
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { finish(context) }

        /// Completes with the part of the response that was received.
        private func finish(_ context: ChannelHandlerContext) {
            if let refusal { promise.succeed(refusal) } else { promise.fail(WebSocketError.lost) }
            context.close(promise: nil)
        }
    }
#endif
