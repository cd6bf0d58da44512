// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import NIOCore
import NIOWebSocket

/// Aggregates a client's frames into messages, and rejects frames that RFC 6455 forbids clients.
struct WebSocketMessageAggregator {
    /// The result of adding a frame.
    enum AggregatedFrame: Equatable {
        /// A fragment of an incomplete message.
        case nothing
        case message(SocketMessage)
        case ping(ByteBuffer)
        case pong
        /// A close frame with its code; `nil` if it has none.
        case close(UInt16?)
    }

    private let messageBytes: Int
    private let messageFragments: Int
    /// The opcode of the incomplete message; `nil` between messages.
    private var kind: WebSocketOpcode?
    private var parts = ByteBuffer()
    private var partCount = 0
    /// Rejects the fragments of a text before the last one has arrived.
    private var validator = UTF8Validator()

    init(_ limits: SocketLimits) {
        messageBytes = limits.messageBytes
        messageFragments = limits.messageFragments
    }

    mutating func take(_ frame: WebSocketFrame) throws(SocketCloseStatus) -> AggregatedFrame {
        // Section 5.1: clients mask frames; section 5.2: no extension was negotiated.
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { throw .protocolError }
        let data = frame.unmaskedData
        switch frame.opcode {
        case .text, .binary:
            guard kind == nil else { throw .protocolError }
            kind = frame.opcode
            return try append(data, isLast: frame.fin)
        case .continuation:
            guard kind != nil else { throw .protocolError }
            return try append(data, isLast: frame.fin)
        case .ping: return .ping(data)
        case .pong: return .pong
        case .connectionClose: return .close(try Self.code(data))
        default: throw .protocolError
        }
    }

    private mutating func append(_ data: ByteBuffer, isLast: Bool) throws(SocketCloseStatus) -> AggregatedFrame {
        partCount += 1
        guard parts.readableBytes + data.readableBytes <= messageBytes, partCount <= messageFragments else {
            throw .tooLarge
        }
        let isFragmented = !isLast || partCount > 1
        guard kind != .text || !isFragmented || validator.append(data.readableBytesView) else { throw .notUTF8 }
        if !isFragmented {
            parts = data
        } else {
            var data = data
            parts.writeBuffer(&data)
        }
        guard isLast else { return .nothing }
        defer {
            kind = nil
            parts = ByteBuffer()
            partCount = 0
            validator = UTF8Validator()
        }
        guard kind == .text else { return .message(.binary(Data(parts.readableBytesView))) }
        guard let text = String(utf8: parts.readableBytesView) else { throw .notUTF8 }
        return .message(.text(text))
    }

    /// Parses a close frame: no payload, or a valid code and a UTF-8 reason (sections 5.5.1 and 7.4).
    private static func code(_ data: ByteBuffer) throws(SocketCloseStatus) -> UInt16? {
        var data = data
        guard data.readableBytes > 0 else { return nil }
        guard let code = data.readInteger(as: UInt16.self), SocketCloseStatus.isSendable(code) else {
            throw .protocolError
        }
        guard String(utf8: data.readableBytesView) != nil else { throw .notUTF8 }
        return code
    }
}
