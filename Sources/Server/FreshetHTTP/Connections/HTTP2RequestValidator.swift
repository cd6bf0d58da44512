// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Refuses HTTP/2 requests whose path or authority is malformed (RFC 9113 section 8.3.1).
///
/// NIO checks which pseudo-header fields are present, and not what they contain.
final class HTTP2RequestValidator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var hasFailed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.isValid(head) {
            hasFailed = true
            return context.fireErrorCaught(InvalidRequestError())
        }
        context.fireChannelRead(data)
    }

    private static func isValid(_ head: HTTPRequest) -> Bool {
        let fields = head.headerFields.filter { $0.name.canonicalName == "host" }
        guard fields.count <= 1, let host = head.authority ?? fields.first?.value, HostField.isValid(host) else {
            return false
        }
        if let other = fields.first?.value, other.lowercased() != host.lowercased() { return false }
        guard head.method != .connect, let path = head.path else { return true }
        return path.utf8.first == UInt8(ascii: "/") || head.method == .options && path == "*"
    }
}
