// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOCore
import NIOPosix

/// A TCP connection whose bytes the test writes itself: a request can stop after its head, or never be read.
enum RawClient {
    /// An HTTP/1.1 response with a `Content-Length`, or none and no body.
    struct Response {
        var status: Int
        /// The status line and the header fields.
        var head: String
        var body: String
    }

    struct ConnectionClosed: Error {}

    /// Returns the request that opens a WebSocket, with an access token or without one.
    static func socketHandshake(bearer token: String? = nil) -> String {
        "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n"
    }

    /// Connects to loopback, runs `body`, and closes the connection.
    ///
    /// - Parameters:
    ///   - port: Where the server listens.
    ///   - source: The local address to connect from, such as `127.0.0.2`; any if left out.
    ///   - body: Talks to the server.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or the reason why there is no connection.
    static func connected<Value>(
        to port: Int,
        from source: String? = nil,
        _ body: (sending RawConversation) async throws -> Value
    ) async throws -> Value {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let source { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(RawConversation(inbound.makeAsyncIterator(), outbound))
        }
    }
}

extension RunningServer {
    /// Where it listens.
    var port: Int { URL(string: address)?.port ?? 0 }
}
