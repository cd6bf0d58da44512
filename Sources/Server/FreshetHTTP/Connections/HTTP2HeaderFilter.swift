// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Removes connection-specific header fields from HTTP/2 responses (RFC 9113 section 8.2.2).
///
/// Routes and ``RequestTimeoutHandler`` do not know the version of HTTP.
final class HTTP2HeaderFilter: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        for name in [HTTPField.Name.connection, .upgrade, .transferEncoding] { head.headerFields[name] = nil }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
