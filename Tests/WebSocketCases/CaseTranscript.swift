// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The bytes that the receiver of a case wrote, parsed, and the messages that it delivered.
package struct CaseTranscript: Sendable {
    /// The code of the close frame that a test sends after a case.
    package static let lastCode: UInt16 = 3999

    package var messages: [WebSocketCase.Message] = []
    private let isServer: Bool
    private var rest: [UInt8] = []
    private var pongs: [[UInt8]] = []
    private var close: (code: UInt16?, at: Int)?
    /// Violations of RFC 6455 by the receiver.
    private var violations: [String] = []

    package init(ofServer isServer: Bool) { self.isServer = isServer }

    package var isClosed: Bool { close != nil }

    /// Adds bytes that were written after the frame at this index was received.
    package mutating func write(_ bytes: [UInt8], after index: Int) {
        rest += bytes
        while let (first, payload) = nextFrame() {
            if close != nil { violations.append("a frame after the close frame") }
            switch first {
            case 0x8A: pongs.append(payload)
            case 0x88 where payload.isEmpty: close = (nil, index)
            case 0x88 where payload.count >= 2:
                close = (UInt16(payload[0]) << 8 | UInt16(payload[1]), index)
                if String(utf8: payload.dropFirst(2)) == nil { violations.append("a bad reason") }
            default: violations.append("a frame with the first byte \(first)")
            }
        }
    }

    /// Removes the next complete frame, and records violations in its header.
    private mutating func nextFrame() -> (first: UInt8, payload: [UInt8])? {
        guard rest.count >= 2 else { return nil }
        var count = Int(rest[1] & 0x7F)
        var start = 2
        if count >= 126 {
            let octets = count == 126 ? 2 : 8
            guard rest.count >= 2 + octets else { return nil }
            count = rest[2..<2 + octets].reduce(0) { $0 << 8 | Int($1) }
            start += octets
            if count < (octets == 2 ? 126 : 65_536) { violations.append("a length that is not minimal") }
        }
        let isMasked = rest[1] & 0x80 != 0
        if isMasked == isServer { violations.append("wrong masking") }
        let key = isMasked ? Array(rest[start..<min(start + 4, rest.count)]) : [0, 0, 0, 0]
        if isMasked { start += 4 }
        guard rest.count >= start + count else { return nil }
        let payload = rest[start..<start + count].enumerated().map { $1 ^ key[$0 % 4] }
        defer { rest.removeFirst(start + count) }
        return (rest[0], payload)
    }

    /// Removes the next frame, which must be a message's only one.
    package mutating func nextMessage(_ bytes: [UInt8]) -> WebSocketCase.Message? {
        rest += bytes
        guard let (first, payload) = nextFrame(), violations.isEmpty else { return nil }
        switch first {
        case 0x81: return String(utf8: payload).map { .text($0) }
        case 0x82: return .binary(payload)
        default: return nil
        }
    }

    /// Compares the transcript with the table.
    ///
    /// - Parameters:
    ///   - entry: The case.
    ///   - isFramewise: Whether the frames were received one at a time, so that the frame of a failure is known.
    /// - Returns: The differences.
    package func differences(from entry: WebSocketCase, isFramewise: Bool) -> [String] {
        var differences = violations
        if messages != entry.messages { differences.append("delivered \(messages.count) messages: \(messages)") }
        if pongs != entry.pongs { differences.append("pongs \(pongs)") }
        if !rest.isEmpty { differences.append("an incomplete frame") }
        let code: UInt16?
        var index: Int?
        switch entry.close {
        case .none: code = Self.lastCode
        case .reply(let reply): code = reply
        case .failure(let failure, let at): (code, index) = (failure, at)
        }
        guard let close else { return differences + ["no close frame"] }
        if close.code != code { differences.append("code \(close.code.map(String.init) ?? "none")") }
        if isFramewise, let index, close.at != index { differences.append("failed at frame \(close.at)") }
        return differences
    }
}

/// How the bytes of a case are cut for the receiver.
package enum CaseDelivery: CaseIterable, Sendable {
    case frames
    case whole
    /// Byte by byte, or in pieces of 997 bytes if there are many.
    case pieces
}

extension WebSocketCase {
    /// The bytes of the case and of a close frame after it, cut for the receiver.
    package func chunks(_ delivery: CaseDelivery, fromClient: Bool) -> [[UInt8]] {
        let frames = (self.frames + [.close(CaseTranscript.lastCode)]).map { $0.bytes(fromClient: fromClient) }
        guard delivery != .frames else { return frames }
        let bytes = Array(frames.joined())
        guard delivery == .pieces else { return [bytes] }
        let size = bytes.count > 1000 ? 997 : 1
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
