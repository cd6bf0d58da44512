// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// 128 random bits that a client chooses once for one generation and stores before it first sends them.
///
/// Every retry of a refresh carries the same intent; a second intent for one generation exposes a second holder.
package struct Intent: Hashable, Sendable {
    package static let length = 16

    package let bytes: [UInt8]

    /// Takes over sixteen bytes.
    ///
    /// - Returns: `nil` for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads base64url without padding.
    package init?(_ text: String) {
        guard text.utf8.count == 22, let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// A new intent from the system's secure source.
    package static func random() -> Intent {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    package static func random(using generator: inout some RandomNumberGenerator) -> Intent {
        Intent(words: (generator.next(), generator.next()))
    }

    private init(words: (UInt64, UInt64)) {
        bytes = withUnsafeBytes(of: words) { Array($0) }
    }

    /// The secret text.
    ///
    /// Whoever has it together with its token can pass for the owner.
    package var text: String { Base64URL.encode(bytes) }
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
