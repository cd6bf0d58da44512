// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Validates UTF-8 that arrives in parts, and rejects it at the first byte that no continuation can make valid.
///
/// See table 3-7 of the Unicode Standard.
package struct UTF8Validator {
    /// The number of bytes that the current character lacks.
    private var missing = 0
    /// The values that its next byte may have.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    package init() {}

    /// Whether the last character is complete.
    package var isComplete: Bool { missing == 0 }

    /// Validates the next part.
    ///
    /// - Returns: `false` if the text is invalid, whatever follows.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes {
            if missing > 0 {
                guard allowed.contains(byte) else { return false }
                (missing, allowed) = (missing - 1, 0x80...0xBF)
                continue
            }
            switch byte {
            case 0x00...0x7F: break
            case 0xC2...0xDF: missing = 1
            case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
            case 0xED: (missing, allowed) = (2, 0x80...0x9F)
            case 0xE1...0xEF: missing = 2
            case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
            case 0xF1...0xF3: missing = 3
            case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
            default: return false
            }
        }
        return true
    }
}
