// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// A reader of WebSocket frames, written from RFC 6455 without NIO.
struct WebSocketReference {
    /// An event of one side of a connection, in the order of arrival.
    enum Event: Equatable {
        case text(String)
        case binary([UInt8])
        case ping([UInt8])
        case close(Int?)
        /// The connection is closed with this code.
        case fault(Int)
    }

    static let messageLimit = 1024
    static let fragmentLimit = 8

    /// Whether it reads what a client sends.
    let isServer: Bool

    /// Reads messages until the bytes end, or the connection does.
    func events(of bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        var message = Message()
        while let frame = Frame(&rest, limit: Self.messageLimit) {
            if let fault = frame.fault { return events + [.fault(fault)] }
            guard frame.isMasked == isServer, frame.reserved == 0 else { return events + [.fault(1002)] }
            switch frame.opcode {
            case 0, 1, 2:
                switch add(frame, to: &message) {
                case .fault(let code): return events + [.fault(code)]
                case let event?: events.append(event)
                case nil: break
                }
            case 8: return events + [close(frame.payload)]
            case 9: events.append(.ping(frame.payload))
            case 10: break
            default: return events + [.fault(1002)]
            }
        }
        return events
    }

    private struct Message {
        var kind: UInt8?
        var payload: [UInt8] = []
        var count = 0
    }

    /// Adds a fragment (section 5.4).
    private func add(_ frame: Frame, to message: inout Message) -> Event? {
        guard (frame.opcode == 0) == (message.kind != nil) else { return .fault(1002) }
        message.kind = message.kind ?? frame.opcode
        message.count += 1
        message.payload += frame.payload
        if message.payload.count > Self.messageLimit { return .fault(1009) }
        // RFC 6455 has no limit of fragments; the client's is beyond the length of an input.
        if isServer, message.count > Self.fragmentLimit { return .fault(1009) }
        // Text is rejected at the fragment that makes it invalid (section 8.1).
        if message.kind == 1, !Self.beginsText(message.payload) { return .fault(1007) }
        guard frame.isLast else { return nil }
        defer { message = Message() }
        if message.kind == 2 { return .binary(message.payload) }
        return String(utf8: message.payload).map(Event.text) ?? .fault(1007)
    }

    /// Whether bytes are UTF-8, or become UTF-8 by the continuation of the last character.
    private static func beginsText(_ bytes: [UInt8]) -> Bool {
        let firsts: [UInt8] = [0x80, 0x90, 0xA0]
        let continuations = firsts.flatMap { first in (0...2).map { [first] + [UInt8](repeating: 0x80, count: $0) } }
        return ([[]] + continuations).contains { String(utf8: bytes + $0) != nil }
    }

    /// Reads a close frame (sections 5.5.1 and 7.4).
    private func close(_ payload: [UInt8]) -> Event {
        guard !payload.isEmpty else { return .close(nil) }
        guard payload.count > 1 else { return .fault(1002) }
        let code = Int(payload[0]) << 8 | Int(payload[1])
        guard [1000...1003, 1007...1014, 3000...4999].contains(where: { $0.contains(code) }) else {
            return .fault(1002)
        }
        return String(utf8: payload[2...]) == nil ? .fault(1007) : .close(code)
    }

    /// A frame (section 5.2).
    private struct Frame {
        let isLast: Bool
        let reserved: UInt8
        let opcode: UInt8
        let isMasked: Bool
        private(set) var payload: [UInt8] = []
        /// The close code, if the frame must not be read.
        private(set) var fault: Int?

        /// Takes a frame from the front; `nil` if it is incomplete.
        init?(_ bytes: inout ArraySlice<UInt8>, limit: Int) {
            var rest = bytes
            guard let first = rest.popFirst(), let second = rest.popFirst() else { return nil }
            (isLast, reserved, opcode, isMasked) = (first & 0x80 != 0, first >> 4 & 7, first & 0x0F, second & 0x80 != 0)
            var length = UInt64(second & 0x7F)
            let extended = length == 126 ? 2 : length == 127 ? 8 : 0
            guard rest.count >= extended else { return nil }
            if extended > 0 { length = rest.prefix(extended).reduce(0) { $0 << 8 | UInt64($1) } }
            rest = rest.dropFirst(extended)
            if opcode & 8 != 0, !isLast || length > 125 { fault = 1002 }
            if length > UInt64(limit) { fault = 1009 }
            if fault != nil { return }
            guard rest.count >= (isMasked ? 4 : 0) else { return nil }
            let mask = isMasked ? Array(rest.prefix(4)) : [0, 0, 0, 0]
            if isMasked { rest = rest.dropFirst(4) }
            guard UInt64(rest.count) >= length else { return nil }
            payload = rest.prefix(Int(length)).enumerated().map { $0.element ^ mask[$0.offset % 4] }
            bytes = rest.dropFirst(Int(length))
        }
    }
}
