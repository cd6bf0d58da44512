// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// The points of small order on the Edwards form of Curve25519 (RFC 8032 section 5.1.7).
    ///
    /// For such a key, any attacker can create a signature that is valid for many or all messages.
    enum SmallOrderPoints {
        /// Whether `point` encodes one of these points, with any sign and any encoding of its coordinate.
        static func contains(_ point: [UInt8]) -> Bool {
            guard point.count == 32 else { return false }
            var unsigned = point
            unsigned[31] &= 0x7F
            return coordinates.contains(unsigned)
        }

        private static let coordinates: [[UInt8]] = [
            number(first: 0, rest: 0, last: 0),
            number(first: 1, rest: 0, last: 0),
            // Points of order 8.
            [
                0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
                0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
            ],
            [
                0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
                0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
            ],
            // p - 1, p and p + 1, where p is 2^255 - 19.
            number(first: 0xEC, rest: 0xFF, last: 0x7F),
            number(first: 0xED, rest: 0xFF, last: 0x7F),
            number(first: 0xEE, rest: 0xFF, last: 0x7F),
        ]

        private static func number(first: UInt8, rest: UInt8, last: UInt8) -> [UInt8] {
            [first] + [UInt8](repeating: rest, count: 30) + [last]
        }
    }
#endif
