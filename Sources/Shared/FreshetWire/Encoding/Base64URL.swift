// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Base64url without padding, the only text encoding of tokens (RFC 4648 section 5, RFC 7515 section 2).
///
/// Decoding is strict: every byte string has exactly one text, so two texts never represent the same token.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each ASCII character; 0xFF marks those outside the alphabet.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    /// Encodes `bytes` after an ASCII prefix.
    package static func encode(_ bytes: some Collection<UInt8>, after prefix: StaticString = "") -> String {
        // Encodes every token; with a generic collection each byte costs a call.
        bytes.withContiguousStorageIfAvailable { encode(contiguous: $0, after: prefix) }
            ?? Array(bytes).withUnsafeBufferPointer { encode(contiguous: $0, after: prefix) }
    }

    private static func encode(contiguous bytes: UnsafeBufferPointer<UInt8>, after prefix: StaticString) -> String {
        let start = prefix.utf8CodeUnitCount
        return String(unsafeUninitializedCapacity: start + length(of: bytes.count)) { text in
            _ = text.update(fromContentsOf: UnsafeBufferPointer(start: prefix.utf8Start, count: start))
            return start + write(bytes, to: UnsafeMutableBufferPointer(rebasing: text[start...]))
        }
    }

    /// The length of the encoding of a number of bytes.
    package static func length(of count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Encodes `bytes` into a buffer, which must be large enough.
    ///
    /// - Returns: Its length.
    @discardableResult
    package static func write(_ bytes: UnsafeBufferPointer<UInt8>, to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        alphabet.withUnsafeBufferPointer { alphabet in
            var written = 0
            var next = 0
            while next + 3 <= bytes.count {
                let bits = UInt32(bytes[next]) << 16 | UInt32(bytes[next + 1]) << 8 | UInt32(bytes[next + 2])
                text[written] = alphabet[Int(bits >> 18)]
                text[written + 1] = alphabet[Int(bits >> 12 & 0x3F)]
                text[written + 2] = alphabet[Int(bits >> 6 & 0x3F)]
                text[written + 3] = alphabet[Int(bits & 0x3F)]
                next += 3
                written += 4
            }
            let rest = bytes.count - next
            guard rest > 0 else { return written }
            let bits = UInt32(bytes[next]) << 16 | (rest > 1 ? UInt32(bytes[next + 1]) << 8 : 0)
            text[written] = alphabet[Int(bits >> 18)]
            text[written + 1] = alphabet[Int(bits >> 12 & 0x3F)]
            if rest > 1 { text[written + 2] = alphabet[Int(bits >> 6 & 0x3F)] }
            return written + rest + 1
        }
    }

    /// Decodes `text`.
    ///
    /// - Returns: `nil` for padding, white space, characters of another alphabet, an impossible length, and a last
    ///   character whose unused bits are not zero.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        // As for encoding.
        text.utf8.withContiguousStorageIfAvailable(decode(contiguous:))
            ?? Array(text.utf8).withUnsafeBufferPointer(decode(contiguous:))
    }

    /// Decodes a text's bytes, like ``decode(_:)``.
    package static func decode(utf8 text: [UInt8]) -> [UInt8]? { text.withUnsafeBufferPointer(decode(contiguous:)) }

    private static func decode(contiguous text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, count in
            values.withUnsafeBufferPointer { values in
                var bits: UInt32 = 0
                var held = 0
                for character in text {
                    let value = values[Int(character)]
                    guard value != 0xFF else { return }
                    bits = bits << 6 | UInt32(value)
                    held += 6
                    if held >= 8 {
                        held -= 8
                        bytes[count] = UInt8(truncatingIfNeeded: bits >> UInt32(held))
                        count += 1
                    }
                }
                isWhole = held < 6 && bits & (1 << UInt32(held) - 1) == 0
            }
        }
        return isWhole ? bytes : nil
    }
}
