// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

/// The other text of a token that is signed by ECDSA on P-256: (r, n - s) is as good a signature as (r, s).
package enum MalleableSignature {
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    package static func twin(of token: String) throws -> String {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let signature = try #require(Base64URL.decode(parts[2]))
        try #require(signature.count == 64)
        var other = Array(signature[32...])
        var borrow = 0
        for index in (0..<32).reversed() {
            let value = Int(order[index]) - Int(other[index]) - borrow
            borrow = value < 0 ? 1 : 0
            other[index] = UInt8(value + borrow * 256)
        }
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature[..<32] + other))"
    }
}
