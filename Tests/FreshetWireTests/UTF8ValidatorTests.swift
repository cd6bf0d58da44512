// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@Suite struct `UTF-8 validator` {
    /// The bytes at the boundaries of table 3-7 of the Unicode Standard.
    private static let boundaries: [UInt8] = [
        0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0,
        0xF1,
        0xF3, 0xF4, 0xF5, 0xFF,
    ]

    @Test func `the UTF-8 validator accepts the same texts as String, in one part and in single bytes`() {
        var texts: [[UInt8]] = [[]]
        for length in 1...4 {
            texts = texts.flatMap { text in Self.boundaries.map { text + [$0] } }
            // Four bytes are one character only after F0 to F4.
            if length == 4 { texts.removeAll { !(0xF0...0xF4).contains($0[0]) } }
            let differing = texts.filter { text in
                let isValid = String(utf8: text) != nil
                var (whole, single) = (UTF8Validator(), UTF8Validator())
                return (whole.append(text) && whole.isComplete) != isValid
                    || (text.allSatisfy { single.append([$0]) } && single.isComplete) != isValid
            }
            #expect(differing.isEmpty)
        }
    }
}
