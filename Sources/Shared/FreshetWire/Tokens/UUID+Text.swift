// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

extension UUID {
    /// Parses the text form of RFC 9562, in upper or lower case.
    ///
    /// `UUID(uuidString:)` is not used for text from outside: on Linux it also accepts signs and white space in place of
    /// digits, so that several texts mean one UUID.
    package init?(exactly text: some StringProtocol) {
        guard text.utf8.count == 36, let bits = Bits128(hexadecimal: text.utf8) else { return nil }
        self = bits.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension Bits128 {
    /// Parses the digits of a UUID's text, which is 36 bytes long.
    init?(hexadecimal text: some Collection<UInt8>) {
        var halves: (UInt64, UInt64) = (0, 0)
        var count = 0
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            if count < 16 { halves.0 = halves.0 << 4 | UInt64(digit) } else { halves.1 = halves.1 << 4 | UInt64(digit) }
            count += 1
        }
        self.init(halves.0.bigEndian, halves.1.bigEndian)
    }
}
