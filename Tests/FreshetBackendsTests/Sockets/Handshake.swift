// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOCore
import NIOPosix
import Testing

/// A handshake as bytes, and the first bytes that answer it.
struct Handshake {
    private let port: Int
    private let request: String

    init(_ base: String, _ path: String, key: String? = "dGhlIHNhbXBsZSBub25jZQ==") throws {
        port = try #require(URL(string: base)?.port)
        request = """
            GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r
            Sec-WebSocket-Version: 13\r\n\(key.map { "Sec-WebSocket-Key: \($0)\r\n" } ?? "")\r\n
            """
    }

    /// The status of the answer.
    func status() async throws -> Int? { Int(try await answer().split(separator: " ").dropFirst().first ?? "") }

    func answer() async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var text = ""
            for try await bytes in inbound {
                text += String(buffer: bytes)
                // Errors of the backend end with their JSON.
                if text.hasPrefix("HTTP/1.1 101") || text.hasSuffix("}") || text.hasSuffix("\n") { break }
            }
            return text
        }
    }
}
