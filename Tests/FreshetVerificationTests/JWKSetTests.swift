// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import CryptoExtras
import Foundation
import FreshetContract
import FreshetWire
import Testing

@testable import FreshetJWT

@Suite struct `A key set` {
    private func fault(_ text: String) -> JWKSet.Fault? {
        do throws(JWKSet.Fault) {
            _ = try JWKSet(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    private func key(_ text: String) throws -> VerificationKey? {
        let value = try JSONParser.parse(Array(text.utf8))
        return VerificationKey(try #require(value.object))
    }

    @Test func `a key set with a duplicate key id is refused`() {
        let one = TestTokenIssuer.curveKey("a", TestTokenIssuer.curve.publicKey),
            two = TestTokenIssuer.curveKey("a", TestTokenIssuer.secondCurve.publicKey)
        #expect(fault(TestTokenIssuer.set(one, two)) == .duplicateID)
        #expect(fault(TestTokenIssuer.set(one, #"{"kty":"later","kid":"a"}"#)) == .duplicateID)
    }

    @Test func `a key set that is malformed or has no usable key is refused`() {
        #expect(fault(TestTokenIssuer.set()) == .empty)
        #expect(
            fault(TestTokenIssuer.set(#"{"kty":"oct","kid":"a","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#))
                == .empty
        )
        for text in ["", "{}", "[]", #"{"keys":{}}"#, "<html>", #"{"keys":[]"#] { #expect(fault(text) == .unreadable) }
        let many = (0...JWKSet.maximumKeys).map { #"{"kid":"\#($0)"}"# }.joined(separator: ",")
        #expect(fault(#"{"keys":[\#(many)]}"#) == .unreadable)
        #expect(fault(String(repeating: " ", count: JWKSet.maximumLength) + TestTokenIssuer.published) == .unreadable)
    }

    @Test func `a key set has at most 262,144 bytes and 100 keys`() throws {
        let padding = String(repeating: " ", count: 262_144 - TestTokenIssuer.published.utf8.count)
        #expect(fault(TestTokenIssuer.published + padding) == nil)
        #expect(fault(TestTokenIssuer.published + padding + " ") == .unreadable)
        func set(_ count: Int) -> String {
            let keys = (0..<count).map { TestTokenIssuer.curveKey("\($0)", TestTokenIssuer.curve.publicKey) }
            return #"{"keys":[\#(keys.joined(separator: ","))]}"#
        }
        #expect(try JWKSet(Array(set(100).utf8)).count == 100)
        #expect(fault(set(101)) == .unreadable)
    }

    @Test func `a key set omits keys of algorithms that are not accepted`() throws {
        let bytes = Array(TestTokenIssuer.published.utf8)
        let all = ["es": TokenAlgorithm.es256, "second": .es256, "rsa": .rs256, "ed": .edDSA]
        for algorithm in [TokenAlgorithm.es256, .rs256, .edDSA] {
            let set = try JWKSet(bytes, algorithms: [algorithm])
            for (id, own) in all { #expect((set[id] != nil) == (own == algorithm), "\(id)") }
            #expect(set.count == all.values.count { $0 == algorithm })
        }
        #expect(throws: JWKSet.Fault.empty) { try JWKSet(bytes, algorithms: []) }
    }

    @Test func `an EC key with an invalid point or another curve than P-256 is refused`() throws {
        let point = TestTokenIssuer.point(TestTokenIssuer.curve.publicKey)
        #expect(try key(TestTokenIssuer.curveKey("a", TestTokenIssuer.curve.publicKey)) != nil)
        for (x, y) in [(point.y, point.x), (point.x, point.x), ("AA", point.y), (point.x, point.y + "AAAA")] {
            #expect(try key(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#) == nil)
        }
        // 64 bytes that are not 32 and 32.
        let bytes = Array(TestTokenIssuer.curve.publicKey.rawRepresentation)
        for middle in [0, 31, 33, 64] {
            let (x, y) = (Base64URL.encode(bytes[..<middle]), Base64URL.encode(bytes[middle...]))
            #expect(try key(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#) == nil)
        }
        for curve in ["P-384", "p-256", "secp256k1", "Ed25519"] {
            #expect(try key(#"{"kty":"EC","crv":"\#(curve)","x":"\#(point.x)","y":"\#(point.y)"}"#) == nil)
        }
    }

    @Test func `an OKP key with another curve than Ed25519 or another length is refused`() throws {
        let x = Array(TestTokenIssuer.edwards.publicKey.rawRepresentation)
        func hasKey(_ curve: String, _ x: [UInt8]) throws -> Bool {
            try key(#"{"kty":"OKP","crv":"\#(curve)","x":"\#(Base64URL.encode(x))"}"#) != nil
        }
        #expect(try hasKey("Ed25519", x))
        for curve in ["X25519", "Ed448", "ed25519", "P-256", ""] { #expect(try !hasKey(curve, x)) }
        for other in [[], Array(x.dropLast()), x + [0], [0] + x] { #expect(try !hasKey("Ed25519", other)) }
    }

    @Test func `an Ed25519 key of small order is refused`() throws {
        #expect(try key(TestTokenIssuer.edwardsKey) != nil)
        var points: [[UInt8]] = [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)]
        for first: UInt8 in [0xEC, 0xED, 0xEE] { points.append([first] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]) }
        for point in points {
            for sign: UInt8 in [0, 0x80] {
                let x = Base64URL.encode(point.dropLast() + [point[31] | sign])
                #expect(try key(#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#) == nil)
            }
        }
    }

    @Test func `an RSA key with an invalid exponent or modulus length is refused`() throws {
        let numbers = try TestTokenIssuer.rsa.publicKey.getKeyPrimitives()
        let (n, e) = (Array(numbers.modulus), Array(numbers.publicExponent))
        func rsa(_ n: [UInt8], _ e: [UInt8]) throws -> VerificationKey? {
            try key(#"{"kty":"RSA","n":"\#(Base64URL.encode(n))","e":"\#(Base64URL.encode(e))"}"#)
        }
        #expect(try rsa(n, e) != nil)
        for exponent: [UInt8] in [
            [], [0], [1], [2], [0, 1], [4], [1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1], [0, 1, 0, 1],
        ] {
            #expect(try rsa(n, exponent) == nil)
        }
        #expect(try rsa(Array(n.prefix(128)), e) == nil)
        #expect(try rsa([0x7F] + n.dropFirst(), e) == nil)
        #expect(try rsa([0] + n, e) == nil)
        #expect(try rsa([UInt8](repeating: 0xFF, count: 1024), e) != nil)
        #expect(try rsa([1] + [UInt8](repeating: 0xFF, count: 1024), e) == nil)
        #expect(try rsa([0xFF] + [UInt8](repeating: 0xFF, count: 1024), e) == nil)
        for exponent: [UInt8] in [[3], [1, 0, 1], [0x7F, 0xFF, 0xFF, 0xFF]] { #expect(try rsa(n, exponent) != nil) }
    }

    @Test func `shared secrets are read only where a test allows them, and only if they are long enough`() throws {
        let secret = #"{"kty":"oct","kid":"a","k":"\#(Base64URL.encode([UInt8](repeating: 7, count: 32)))"}"#
        let short = #"{"kty":"oct","kid":"a","k":"\#(Base64URL.encode([UInt8](repeating: 7, count: 31)))"}"#
        #expect(throws: Never.self) { try JWKSet(Array(TestTokenIssuer.set(secret).utf8), allowsSharedSecrets: true) }
        #expect(throws: JWKSet.Fault.empty) {
            try JWKSet(Array(TestTokenIssuer.set(short).utf8), allowsSharedSecrets: true)
        }
        #expect(throws: JWKSet.Fault.empty) { try JWKSet(Array(TestTokenIssuer.set(secret).utf8)) }
        #expect(try key(secret) == nil)
        func hasKey(ofLength count: Int) -> Bool {
            let secret = Base64URL.encode([UInt8](repeating: 7, count: count))
            let set = TestTokenIssuer.set(#"{"kty":"oct","kid":"a","k":"\#(secret)"}"#)
            return (try? JWKSet(Array(set.utf8), allowsSharedSecrets: true)) != nil
        }
        #expect(hasKey(ofLength: 1024))
        #expect(!hasKey(ofLength: 1025))
    }
}
