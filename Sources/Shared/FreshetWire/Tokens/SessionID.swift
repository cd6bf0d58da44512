// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import struct Foundation.UUID

/// The ID of a session: one sign-in of one user on one device.
///
/// It is not a secret.
package struct SessionID: Hashable, Sendable {
    /// The sixteen bytes, as stored in tokens and rows.
    package let bits: Bits128

    package init(_ bits: Bits128) { self.bits = bits }

    /// Creates the value from sixteen bytes.
    ///
    /// - Returns: `nil` for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard let bits = Bits128(bytes: bytes) else { return nil }
        self.bits = bits
    }

    /// Parses the text form of RFC 9562, in upper or lower case.
    package init?(_ text: String) {
        guard text.utf8.count == 36, let bits = Bits128(hexadecimal: text.utf8) else { return nil }
        self.bits = bits
    }

    package init(_ uuid: UUID) {
        bits = withUnsafeBytes(of: uuid.uuid) { Bits128(startOf: $0) }
    }

    /// The sixteen bytes of ``bits``.
    package var bytes: [UInt8] { bits.bytes }

    /// Generates a random ID.
    package static func random() -> SessionID { SessionID(UUID.random()) }
}

extension SessionID: LosslessStringConvertible {
    /// The lower-case text form of RFC 9562.
    package var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            write(to: text)
            return 36
        }
    }

    /// Appends the text to `bytes`.
    func write(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
            write(to: text)
            bytes.append(contentsOf: text)
        }
    }

    private func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        bits.withUnsafeBytes { bytes in
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
