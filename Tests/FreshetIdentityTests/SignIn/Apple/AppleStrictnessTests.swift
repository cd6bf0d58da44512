// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import CryptoExtras
import Foundation
import FreshetEngine
import FreshetJWT
import FreshetWire
import Testing

@testable import FreshetIdentity

/// Tokens that FreshetVerification refuses, and that Sign in with Apple accepted when it had a verifier of its own.
@Suite struct `Strict validation of Apple's keys and tokens` {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let header = #"{"alg":"ES256","kid":"a"}"#
    private static let times = #""iat":1800000000,"exp":1800000600"#
    private static let claims =
        #""iss":"https://appleid.apple.com","aud":"app","sub":"001""#

    private let key = P256.Signing.PrivateKey()

    private func jwk(_ kid: String = "a", more: String = "") -> String {
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
        return #"{"kty":"EC","crv":"P-256","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"\#(more)}"#
    }

    private func keys(_ jwks: String...) throws -> JWKSet {
        try AppleJWT.keys(Data(#"{"keys":[\#(jwks.joined(separator: ","))]}"#.utf8))
    }

    private func fault(header: String = header, _ payload: String) throws -> AppleJWT.Fault? {
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        let token = signed + "." + Base64URL.encode(try key.signature(for: Data(signed.utf8)).rawRepresentation)
        let keys = try keys(jwk())
        do throws(AppleJWT.Fault) {
            _ = try IdentityToken(token, keys: keys, audiences: ["app"], nonce: nil, now: Self.now)
            return nil
        } catch { return error }
    }

    @Test func `an Apple identity token of the expected form is accepted`() throws {
        #expect(try fault("{\(Self.claims),\(Self.times)}") == nil)
        #expect(try fault("{\(Self.claims),\(Self.times),\"nbf\":1800000060}") == nil)
    }

    @Test func `an Apple identity token with a repeated or broken claim is malformed`() throws {
        for claim in [#""sub":"002""#, #""x":"\ud800""#] {
            #expect(try fault("{\(Self.claims),\(Self.times),\(claim)}") == .malformed)
        }
        #expect(
            try fault(header: #"{"alg":"ES256","kid":"a","kid":"a"}"#, "{\(Self.claims),\(Self.times)}") == .malformed
        )
    }

    @Test func `an Apple identity token with an extension of JWS in its header is refused`() throws {
        for member in [#""zip":"DEF""#, #""enc":"A128GCM""#, #""b64":false"#] {
            let header = #"{"alg":"ES256","kid":"a",\#(member)}"#
            #expect(try fault(header: header, "{\(Self.claims),\(Self.times)}") == .signature)
        }
    }

    @Test func `an Apple identity token with an additional audience that is not a string is refused`() throws {
        let claims = Self.claims.replacing(#""aud":"app""#, with: #""aud":["app",1]"#)
        #expect(claims != Self.claims)
        #expect(try fault("{\(claims),\(Self.times)}") == .audience)
    }

    @Test func `the audience of an Apple identity token is compared byte by byte`() throws {
        let claims = Self.claims.replacing(#""aud":"app""#, with: #""aud":"ap\u0070""#)
        #expect(try fault("{\(claims),\(Self.times)}") == nil)
        let token = { (name: String) in "{\(Self.claims.replacing("\"app\"", with: "\"\(name)\"")),\(Self.times)}" }
        #expect("caf\u{E9}" == "cafe\u{301}")
        let keys = try keys(jwk())
        let signed = Base64URL.encode(Self.header.utf8) + "." + Base64URL.encode(token("cafe\u{301}").utf8)
        let text = signed + "." + Base64URL.encode(try key.signature(for: Data(signed.utf8)).rawRepresentation)
        #expect(throws: AppleJWT.Fault.audience) {
            try IdentityToken(text, keys: keys, audiences: ["caf\u{E9}"], nonce: nil, now: Self.now)
        }
    }

    @Test func `an Apple identity token that is not valid yet, or expires in more than a year, is refused`() throws {
        for claim in [#""nbf":1800000061"#, #""nbf":"0""#] {
            #expect(try fault("{\(Self.claims),\(Self.times),\(claim)}") == .issuedLater)
        }
        for expiry in ["1900000000", "1800000600000", #""1800000600""#] {
            #expect(try fault("{\(Self.claims),\"iat\":1800000000,\"exp\":\(expiry)}") == .expired)
        }
    }

    @Test func `a key with other operations, a published private half or another algorithm is not used`() throws {
        let good = jwk("good")
        for more in [#","key_ops":["sign"]"#, #","key_ops":["verify","verify"]"#, #","d":"AA""#, #","alg":"RS256""#] {
            #expect(try keys(good, jwk("bad", more: more))["bad"] == nil)
        }
        #expect(try keys(good, jwk("b", more: #","key_ops":["verify"]"#))["b"] != nil)
        let x = Base64URL.encode(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let edwards = #"{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"\#(x)"}"#
        #expect(try keys(good, edwards)["ed"] == nil)
        #expect(throws: JWKSet.Fault.empty) { try keys(edwards) }
    }

    @Test func `a key set with two keys of the same ID is refused`() throws {
        #expect(throws: JWKSet.Fault.duplicateID) { try keys(jwk(), jwk()) }
    }

    @Test func `an RSA key is used between 2048 and 8192 bits and with an odd exponent above one`() throws {
        let modulus = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.getKeyPrimitives().modulus
        func isUsed(_ modulus: [UInt8], _ exponent: [UInt8]) throws -> Bool {
            let (n, e) = (Base64URL.encode(modulus), Base64URL.encode(exponent))
            return try keys(jwk(), #"{"kty":"RSA","kid":"r","n":"\#(n)","e":"\#(e)"}"#)["r"] != nil
        }
        #expect(try isUsed(Array(modulus), [1, 0, 1]))
        #expect(try !isUsed([0] + modulus, [1, 0, 1]))
        #expect(try !isUsed(Array(modulus), [0, 1, 0, 1]))
        #expect(try !isUsed([UInt8](repeating: 0xFF, count: 1025), [1, 0, 1]))
        #expect(try !isUsed(Array(modulus), [2]))
    }

    @Test(arguments: ["http://127.0.0.2/keys", "https://:secret@appleid.apple.com/auth/keys", "https:///keys"])
    func `a key set address with a password, without a host, or on another loopback address is refused`(text: String)
        throws
    {
        #expect(AppleKeys.isSafe(try #require(URL(string: text))) == false)
    }
}
