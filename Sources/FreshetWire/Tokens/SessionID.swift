// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import struct Foundation.UUID

/// Names one session: one sign-in of one user on one device.
///
/// It is no secret.
package struct SessionID: Hashable, Sendable {
    /// The sixteen bytes that tokens and rows hold.
    package let bytes: [UInt8]

    /// Takes over sixteen bytes.
    ///
    /// - Returns: `nil` for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Parses the text form of RFC 9562, in either case.
    package init?(_ text: String) {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
        self.init(uuid)
    }

    package init(_ uuid: UUID) {
        bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    }

    /// A new random name.
    package static func random() -> SessionID { SessionID(UUID()) }
}

extension SessionID: LosslessStringConvertible {
    /// The lower-case text form of RFC 9562.
    package var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var written = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[written] = UInt8(ascii: "-")
                    written += 1
                }
                text[written] = Self.digit(byte >> 4)
                text[written + 1] = Self.digit(byte & 0x0F)
                written += 2
            }
            return written
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension SessionID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = SessionID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a session id")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
