// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation

    /// A frame of a WebSocket (RFC 6455 section 5.2) without extensions.
    struct WebSocketFrame {
        enum Opcode: UInt8 {
            case continuation = 0
            case text = 1
            case binary = 2
            case close = 8
            case ping = 9
            case pong = 10
        }

        var opcode: Opcode
        var payload: Data

        /// Returns the frame as a client sends it, masked.
        func masked(with key: [UInt8]) -> Data {
            var bytes = Data([0x80 | opcode.rawValue])
            switch payload.count {
            case ...125: bytes.append(0x80 | UInt8(payload.count))
            case ...0xFFFF: bytes.append(contentsOf: [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)])
            default: fatalError("no message of a history is as long")
            }
            bytes.append(contentsOf: key)
            bytes.append(contentsOf: payload.enumerated().map { $1 ^ key[$0 % 4] })
            return bytes
        }
    }

    /// Reads the frames of a server, which are not masked and not fragmented.
    struct WebSocketFrameReader {
        enum Failure: Error {
            case masked, fragment, unknownOpcode, tooLong
        }

        private var bytes: [UInt8] = []

        mutating func receive(_ data: Data) { bytes += data }

        /// Removes the first frame, if all of it has arrived.
        ///
        /// - Throws: `Failure` if a server may not send the bytes.
        mutating func next() throws(Failure) -> WebSocketFrame? {
            guard bytes.count >= 2 else { return nil }
            guard bytes[0] & 0x80 != 0 else { throw .fragment }
            guard let opcode = WebSocketFrame.Opcode(rawValue: bytes[0] & 0x7F) else { throw .unknownOpcode }
            guard bytes[1] & 0x80 == 0 else { throw .masked }
            var (start, length) = (2, Int(bytes[1]))
            guard length < 127 else { throw .tooLong }
            if length == 126 {
                guard bytes.count >= 4 else { return nil }
                (start, length) = (4, Int(bytes[2]) << 8 | Int(bytes[3]))
            }
            guard bytes.count >= start + length else { return nil }
            let frame = WebSocketFrame(opcode: opcode, payload: Data(bytes[start..<start + length]))
            bytes.removeFirst(start + length)
            return frame
        }
    }
#endif
