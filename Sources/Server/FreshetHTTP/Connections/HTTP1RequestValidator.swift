// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser
import NIOCore
import NIOHTTP1

/// Refuses HTTP/1.1 requests without exactly one valid `Host` (RFC 9112 section 3.2), and those whose
/// `Transfer-Encoding` is empty (section 6.3).
///
/// NIO's decoder checks neither. A proxy and the server could otherwise take a request for different hosts, or disagree
/// on where its body ends.
final class HTTP1RequestValidator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasFailed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.isValid(head) {
            hasFailed = true
            return context.fireErrorCaught(InvalidRequestError())
        }
        context.fireChannelRead(data)
    }

    private static func isValid(_ head: HTTPRequestHead) -> Bool {
        if head.headers["Transfer-Encoding"].contains(where: { $0.allSatisfy(\.isWhitespace) }) { return false }
        let hosts = head.headers["Host"]
        guard let host = hosts.first else { return head.version == .http1_0 }
        return hosts.count == 1 && HostField.isValid(host)
    }
}
