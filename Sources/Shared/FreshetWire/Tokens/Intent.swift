// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// 128 random bits that a client chooses once for each generation.
///
/// The client stores them before it first sends them. Every retry of a refresh carries the same intent; a second intent
/// for one generation reveals a second holder.
package struct Intent: Hashable, Sendable {
    package static let length = Bits128.byteCount

    package let bits: Bits128

    /// Creates the value from sixteen bytes.
    ///
    /// - Returns: `nil` for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard let bits = Bits128(bytes: bytes) else { return nil }
        self.bits = bits
    }

    /// Parses base64url without padding.
    package init?(_ text: String) {
        guard text.utf8.count == 22, let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Generates an intent with the system's secure random generator.
    package static func random() -> Intent {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    package static func random(using generator: inout some RandomNumberGenerator) -> Intent {
        Intent(bits: Bits128(generator.next(), generator.next()))
    }

    private init(bits: Bits128) { self.bits = bits }

    package var bytes: [UInt8] { bits.bytes }

    /// The secret text.
    ///
    /// A client that has it together with its token can impersonate the owner.
    package var text: String { bits.withUnsafeBytes { Base64URL.encode($0) } }
}

extension Intent: Masked {
    package var mask: String { "intent •••" }
}

extension Intent: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let intent = Intent(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an intent")
        }
        self = intent
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
