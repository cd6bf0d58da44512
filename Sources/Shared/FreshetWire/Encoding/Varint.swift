// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Unsigned integers in groups of seven bits, least significant first (LEB128), in their shortest form only.
package enum Varint {
    /// Appends the encoding of `value` to `bytes`.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Removes and decodes one value at the front of `bytes`.
    ///
    /// - Returns: `nil` if the bytes end early, if the value exceeds 64 bits, or if a shorter encoding exists.
    package static func take(from bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = bytes.popFirst() {
            let group = UInt64(byte & 0x7F)
            if shift == 63 && group > 1 { return nil }
            value |= group << shift
            if byte & 0x80 == 0 {
                let isOverlong = byte == 0 && shift > 0
                return isOverlong ? nil : value
            }
            shift += 7
            if shift > 63 { return nil }
        }
        return nil
    }
}
