// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import NIOHTTP1

/// Removes `Upgrade` from HTTP/1.0 requests, where it must be ignored (RFC 9110 section 7.8).
///
/// Later handlers see requests without a version.
final class UpgradeFilter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version != .http1_1,
            head.headers.contains(name: "Upgrade")
        else { return context.fireChannelRead(data) }
        head.headers.remove(name: "Upgrade")
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
