// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetWire

@Suite struct `Base64url` {
    @Test(
        arguments: [
            ("", []), ("AA", [0]), ("AAA", [0, 0]), ("AAAA", [0, 0, 0]), ("_w", [255]), ("-_-_", [0xFB, 0xFF, 0xBF]),
            ("Zm9vYmE", Array("fooba".utf8)),
        ] as [(String, [UInt8])]
    )
    func `bytes and their base64url text are converted in both directions`(text: String, bytes: [UInt8]) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test(arguments: [
        "A", "AAAAA", "AA==", "AA=", "AB", "AAB", "A A", "AA\n", "+w", "/w", "Ａ", "AA\0", "Zm9v.YmE",
    ])
    func `an invalid or non-canonical base64url text is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `every byte is preserved at every position by base64url encoding and decoding`() {
        for byte in UInt8.min ... .max {
            for place in 0..<3 {
                var bytes: [UInt8] = [7, 7, 7]
                bytes[place] = byte
                #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            }
        }
    }
}

@Suite struct `Varints` {
    @Test(
        arguments: [
            (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]),
            (UInt64.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        ] as [(UInt64, [UInt8])]
    )
    func `varints are encoded and decoded, and the bytes after a varint remain`(value: UInt64, bytes: [UInt8]) {
        var encoded: [UInt8] = []
        Varint.append(value, to: &encoded)
        #expect(encoded == bytes)
        var rest = bytes[...] + [9]
        #expect(Varint.take(from: &rest) == value)
        #expect(rest == [9])
    }

    @Test(
        arguments: [
            [], [0x80], [0x80, 0], [0xFF, 0x80, 0], [0x80, 0x80, 0x00],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0],
        ] as [[UInt8]]
    )
    func `varints that are truncated, overlong or too large are refused`(bytes: [UInt8]) {
        var rest = bytes[...]
        #expect(Varint.take(from: &rest) == nil)
    }
}
