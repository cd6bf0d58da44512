// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// The bytes written to and read from a ``RawClient``'s connection, in order.
struct RawConversation {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var received: [UInt8] = []

    init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    /// Writes bytes and returns when the system has them.
    func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

    /// Sends a request's head, and no byte of its body.
    func sendHead(_ method: String, _ path: String, bearer: String? = nil, body: String) async throws {
        try await send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + (bearer.map { "Authorization: Bearer \($0)\r\n" } ?? "")
                + "Content-Length: \(body.utf8.count)\r\n\r\n"
        )
    }

    /// Reads one response.
    ///
    /// - Throws: `ConnectionClosed` if the server closes first.
    mutating func response() async throws -> RawClient.Response {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let start = received.firstRange(of: end) {
                let head = String(decoding: received[..<start.lowerBound], as: UTF8.self)
                let length =
                    head.lowercased().firstMatch(of: /\r\ncontent-length: *(\d+)/).flatMap { Int($0.1) } ?? 0
                if received.count >= start.upperBound + length {
                    let body = String(decoding: received[start.upperBound..<start.upperBound + length], as: UTF8.self)
                    received.removeFirst(start.upperBound + length)
                    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                    return RawClient.Response(status: status, head: head, body: body)
                }
            }
            guard var buffer = try await inbound.next(isolation: #isolation) else { throw RawClient.ConnectionClosed() }
            received += buffer.readBytes(length: buffer.readableBytes) ?? []
        }
    }

    /// Reads until a text has come, which stays in what is read afterwards.
    ///
    /// - Throws: `ConnectionClosed` if the server closes first.
    mutating func wait(for text: String) async throws {
        while received.firstRange(of: Array(text.utf8)) == nil {
            guard let buffer = try await inbound.next(isolation: #isolation) else { throw RawClient.ConnectionClosed() }
            received += Array(buffer.readableBytesView)
        }
    }

    /// Reads until the server closes, and returns what came.
    mutating func readToEnd() async throws -> String {
        while let buffer = try? await inbound.next(isolation: #isolation) {
            received += Array(buffer.readableBytesView)
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Sends a text message of a WebSocket, masked with nothing.
    func sendFrame(_ payload: [UInt8]) async throws {
        var frame = ByteBuffer(integer: UInt8(0x81))
        if payload.count < 126 {
            frame.writeInteger(UInt8(0x80) | UInt8(payload.count))
        } else {
            frame.writeInteger(UInt8(0x80) | 126)
            frame.writeInteger(UInt16(payload.count))
        }
        frame.writeInteger(UInt32(0))
        frame.writeBytes(payload)
        try await outbound.write(frame)
    }

    /// Reads until `text` came.
    ///
    /// - Returns: `false` if the server closes first.
    mutating func text(containing text: String) async throws -> Bool {
        while received.firstRange(of: Array(text.utf8)) == nil {
            guard let buffer = try await inbound.next(isolation: #isolation) else { return false }
            received += Array(buffer.readableBytesView)
        }
        return true
    }
}
