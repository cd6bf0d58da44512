// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire
import Testing

@testable import FreshetJWT

@Suite struct `Points of small order` {
    /// The encodings without the sign bit, the least significant byte first.
    static let encodings = [
        // Order 4.
        "0000000000000000000000000000000000000000000000000000000000000000",
        // Order 1, the identity.
        "0100000000000000000000000000000000000000000000000000000000000000",
        // Order 8.
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        // Order 2: p - 1.
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        // The non-canonical encodings of 0 and 1: p and p + 1.
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    /// Returns all encodings with both signs.
    private func points() throws -> [[UInt8]] {
        try Self.encodings.flatMap { text in
            let digits = Array(text)
            let bytes = try stride(from: 0, to: digits.count, by: 2)
                .map { try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16)) }
            return [bytes, bytes.dropLast() + [bytes[31] | 0x80]]
        }
    }

    private func key(_ x: [UInt8]) throws -> VerificationKey? {
        let text = #"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(x))"}"#
        return VerificationKey(try #require(try JSONParser.parse(Array(text.utf8)).object))
    }

    @Test func `a key set has no Ed25519 key of small order, with either sign, canonical or not`() throws {
        for point in try points() {
            #expect(SmallOrderPoints.contains(point), "\(point)")
            #expect(try key(point) == nil, "\(point)")
        }
    }

    @Test func `a point that differs in one bit is not of small order`() throws {
        let points = try points()
        for point in points {
            for bit in 0..<256 {
                var other = point
                other[bit / 8] ^= 1 << (bit % 8)
                #expect(SmallOrderPoints.contains(other) == points.contains(other), "\(other)")
            }
        }
    }

    @Test func `a point of another length is not of small order`() throws {
        for point in try points() {
            #expect(!SmallOrderPoints.contains(point.dropLast()))
            #expect(!SmallOrderPoints.contains(point + [0]))
        }
        #expect(!SmallOrderPoints.contains([]))
    }
}
