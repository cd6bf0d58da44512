// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A refresh token of the test backend: the native format with a MAC of zeros.
struct TestRefreshToken {
    var session: UUID
    var generation: UInt64

    init(session: UUID, generation: UInt64) {
        self.session = session
        self.generation = generation
    }

    /// Parses a token in the format of ``text``.
    init?(_ text: String) {
        guard text.hasPrefix("frt_") else { return nil }
        let standard = text.dropFirst(4).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        guard let bytes = Data(base64Encoded: standard + padding), bytes.count > 2 + 16 + 32 else { return nil }
        session = bytes.dropFirst(2).prefix(16).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        generation = 0
        for (index, byte) in bytes.dropFirst(18).enumerated() {
            generation |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            if byte & 0x80 == 0 { break }
        }
    }

    /// The token in its text format.
    var text: String {
        var bytes = Data([1, 0])
        withUnsafeBytes(of: session.uuid) { bytes.append(contentsOf: $0) }
        var rest = generation
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        bytes.append(0)
        bytes.append(Data(count: 32))
        let text = bytes.base64EncodedString()
        return "frt_" + text.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }
}
