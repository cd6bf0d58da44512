// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A frame that a case sends, including frames that RFC 6455 forbids.
package struct CaseFrame: Sendable {
    /// How the payload length is written.
    package enum Length: Sendable {
        case minimal
        /// In 16 bits, even if 7 are enough.
        case bits16
        /// In 64 bits, even if fewer are enough.
        case bits64
        /// This number in 64 bits, whatever the payload's length is.
        case declared(UInt64)
    }

    package var opcode: UInt8
    package var payload: [UInt8]
    package var fin = true
    /// RSV1 to RSV3, RSV1 being the highest of three bits.
    package var reserved: UInt8 = 0
    package var length = Length.minimal
    /// Whether the frame is masked if its sender must not mask, and is not if its sender must.
    package var hasWrongMasking = false

    package init(_ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true) {
        self.opcode = opcode
        self.payload = payload
        self.fin = fin
    }

    package static func text(_ text: String, fin: Bool = true) -> Self { Self(1, Array(text.utf8), fin: fin) }
    package static func rest(_ text: String, fin: Bool = true) -> Self { Self(0, Array(text.utf8), fin: fin) }
    package static func binary(_ bytes: [UInt8], fin: Bool = true) -> Self { Self(2, bytes, fin: fin) }
    package static func ping(_ text: String = "") -> Self { Self(9, Array(text.utf8)) }
    package static func pong(_ text: String = "") -> Self { Self(10, Array(text.utf8)) }
    package static func close(_ code: UInt16, _ reason: [UInt8] = []) -> Self {
        Self(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// Encodes the frame as a client or a server sends it.
    package func bytes(fromClient: Bool) -> [UInt8] {
        let isMasked = fromClient != hasWrongMasking
        var bytes = [(fin ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        let count = UInt64(payload.count)
        switch length {
        case .minimal where count < 126: bytes.append(mask | UInt8(count))
        case .minimal where count <= UInt16.max, .bits16: bytes += [mask | 126] + Self.bigEndian(count, octets: 2)
        case .minimal, .bits64: bytes += [mask | 127] + Self.bigEndian(count, octets: 8)
        case .declared(let count): bytes += [mask | 127] + Self.bigEndian(count, octets: 8)
        }
        guard isMasked else { return bytes + payload }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    private static func bigEndian(_ value: UInt64, octets: Int) -> [UInt8] {
        (0..<octets).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (octets - 1 - $0))) }
    }
}
