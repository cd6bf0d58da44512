// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import CryptoExtras
import Foundation
import FreshetWire
import Testing

@testable import FreshetJWT

/// Tokens that somebody made who has no key, or not the right one.
@Suite(.timeLimit(.minutes(5))) struct `Forged tokens` {
    private func parts(_ token: String) throws -> (signed: String, signature: [UInt8]) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return ("\(parts[0]).\(parts[1])", try #require(Base64URL.decode(parts[2])))
    }

    private func expectRefused(_ token: String, _ what: String, keys: String = TestTokenIssuer.published) async throws {
        #expect(try await TestTokenIssuer.fault(token, keys: keys) != nil, "\(what)")
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE", "none ", "", "es256", "ES256 ", "ＥＳ256", "HS256", "ES512", "dir"])
    func `a token with an unsupported algorithm is refused, signed or not`(name: String) async throws {
        for signer in [TestTokenIssuer.Signer.nobody, .es, .stranger] {
            let token = try TestTokenIssuer.token(
                TestTokenIssuer.header("\"\(name)\""),
                TestTokenIssuer.payload(),
                by: signer
            )
            #expect(try await TestTokenIssuer.fault(token) == .algorithm)
        }
    }

    @Test(
        arguments: [#"{"typ":"at+jwt","kid":"es"}"#]
            + ["null", "1", #"["ES256"]"#, "true", "{}"].map { TestTokenIssuer.header($0) }
    )
    func `a token whose algorithm is missing or not a string is refused`(header: String) async throws {
        #expect(
            try await TestTokenIssuer.fault(try TestTokenIssuer.token(header, TestTokenIssuer.payload())) == .algorithm
        )
    }

    @Test func `an HMAC with a public key as its secret is refused`() async throws {
        let point = TestTokenIssuer.curve.publicKey
        let secrets: [[UInt8]] = [
            Array(point.pemRepresentation.utf8), Array((point.pemRepresentation + "\n").utf8),
            Array(point.derRepresentation), Array(point.rawRepresentation), Array(point.x963Representation),
            Array(TestTokenIssuer.curveKey("es", point).utf8),
            Array(point.rawRepresentation.base64EncodedString().utf8),
            Array(Base64URL.encode(point.rawRepresentation).utf8),
            Array(TestTokenIssuer.rsa.publicKey.pemRepresentation.utf8),
            Array(TestTokenIssuer.rsa.publicKey.derRepresentation), [], [0], [UInt8](repeating: 0, count: 32),
            Array("secret".utf8), Array("your-256-bit-secret".utf8),
        ]
        for secret in secrets {
            for kid in ["es", "rsa", "ed"] {
                let token = try TestTokenIssuer.token(
                    TestTokenIssuer.header(#""HS256""#, kid: "\"\(kid)\""),
                    TestTokenIssuer.payload(),
                    by: .secret(secret)
                )
                #expect(try await TestTokenIssuer.fault(token) == .algorithm)
            }
        }
    }

    @Test func `a token whose algorithm does not match its key is refused`() async throws {
        for (kid, own) in [("es", "ES256"), ("rsa", "RS256"), ("ed", "EdDSA")] {
            for algorithm in ["ES256", "RS256", "EdDSA", "ES384", "PS256", "RS512"] where algorithm != own {
                for signer in [TestTokenIssuer.Signer.es, .rsa, .ed] {
                    let header = TestTokenIssuer.header("\"\(algorithm)\"", kid: "\"\(kid)\"")
                    #expect(
                        try await TestTokenIssuer.fault(
                            try TestTokenIssuer.token(header, TestTokenIssuer.payload(), by: signer)
                        ) == .algorithm
                    )
                }
            }
        }
    }

    @Test func `a key or key URL in a token's header is ignored`() async throws {
        let key = TestTokenIssuer.curveKey("es", TestTokenIssuer.strangerCurve.publicKey)
        let members = [
            #","jwk":\#(key)"#, #","jku":"http://127.0.0.1:9/trap""#, #","x5u":"http://127.0.0.1:9/trap""#,
            #","x5c":["\#(TestTokenIssuer.strangerCurve.publicKey.derRepresentation.base64EncodedString())"]"#,
        ]
        for member in members {
            let token = try TestTokenIssuer.token(
                TestTokenIssuer.header(more: member),
                TestTokenIssuer.payload(),
                by: .stranger
            )
            #expect(try await TestTokenIssuer.fault(token) == .signature)
            // Nor does any of it harm a good one.
            #expect(
                try await TestTokenIssuer.fault(
                    try TestTokenIssuer.token(TestTokenIssuer.header(more: member), TestTokenIssuer.payload())
                ) == nil
            )
        }
    }

    @Test func `a token whose key id is unknown, missing, too long or not a string is refused`() async throws {
        let ids = [
            #""unknown""#, #""ES""#, #""es ""#, #""../es""#, #""../../../../dev/null""#, #""%65%73""#,
            #""es' OR '1'='1""#,
            #""es; cat /etc/passwd""#, #""es\u0000""#, #""""#, #""https://127.0.0.1:9/trap""#, #""file:///dev/null""#,
            "null", "1", #"["es"]"#, #"{"es":1}"#, "true",
        ]
        for id in ids {
            #expect(
                try await TestTokenIssuer.fault(
                    try TestTokenIssuer.token(TestTokenIssuer.header(kid: id), TestTokenIssuer.payload())
                ) == .unknownKey,
                "\(id)"
            )
        }
        #expect(
            try await TestTokenIssuer.fault(
                try TestTokenIssuer.token(#"{"alg":"ES256","typ":"at+jwt"}"#, TestTokenIssuer.payload())
            ) == .unknownKey
        )
        let long = "\"" + String(repeating: "k", count: 65_536) + "\""
        #expect(
            try await TestTokenIssuer.fault(
                try TestTokenIssuer.token(TestTokenIssuer.header(kid: long), TestTokenIssuer.payload())
            ) == .tooLarge
        )
    }

    @Test func `a token whose key id is only Unicode-equivalent to a known one is refused`() async throws {
        let keys = TestTokenIssuer.set(TestTokenIssuer.curveKey("caf\u{E9}", TestTokenIssuer.curve.publicKey))
        let composed = try TestTokenIssuer.token(
            TestTokenIssuer.header(kid: "\"caf\u{E9}\""),
            TestTokenIssuer.payload()
        )
        #expect(try await TestTokenIssuer.fault(composed, keys: keys) == nil)
        let decomposed = try TestTokenIssuer.token(
            TestTokenIssuer.header(kid: "\"cafe\u{301}\""),
            TestTokenIssuer.payload()
        )
        #expect(try await TestTokenIssuer.fault(decomposed, keys: keys) == .unknownKey)
    }

    @Test(arguments: [
        #","use":"enc""#, #","use":1"#, #","key_ops":["sign"]"#, #","key_ops":[]"#, #","key_ops":["verify","verify"]"#,
        #","key_ops":"verify""#, #","alg":"ES384""#, #","alg":"RS256""#, #","alg":null"#, #","d":"AAAA""#,
    ])
    func `a key with another use or algorithm, or with a private part, verifies no token`(member: String) async throws {
        let keys = TestTokenIssuer.set(
            TestTokenIssuer.curveKey("es", TestTokenIssuer.curve.publicKey, more: member),
            TestTokenIssuer.edwardsKey
        )
        #expect(
            try await TestTokenIssuer.fault(
                try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()),
                keys: keys
            ) == .unknownKey
        )
    }

    @Test func `a token whose signature is truncated, extended, altered or missing is refused`() async throws {
        for (header, signer) in [
            (TestTokenIssuer.header, TestTokenIssuer.Signer.es),
            (TestTokenIssuer.header(#""RS256""#, kid: #""rsa""#), .rsa),
            (TestTokenIssuer.header(#""EdDSA""#, kid: #""ed""#), .ed),
        ] {
            let (signed, good) = try parts(try TestTokenIssuer.token(header, TestTokenIssuer.payload(), by: signer))
            var others: [[UInt8]] = [
                [], Array(good.dropLast()), Array(good.dropFirst()), good + good, good + [0], [0] + good,
                good.reversed(),
                [UInt8](repeating: 0, count: good.count), [UInt8](repeating: 0xFF, count: good.count),
            ]
            for bit in stride(from: 0, to: good.count * 8, by: 7) {
                var flipped = good
                flipped[bit / 8] ^= 1 << (bit % 8)
                others.append(flipped)
            }
            for other in others {
                #expect(try await TestTokenIssuer.fault("\(signed).\(Base64URL.encode(other))") == .signature)
            }
            #expect(try await TestTokenIssuer.fault(signed) == .malformed)
        }
    }

    @Test func `an ECDSA signature in another encoding, or with r or s out of range, is refused`() async throws {
        let (signed, good) = try parts(try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()))
        let r = Array(good[..<32]), s = Array(good[32...])
        let der = try P256.Signing.ECDSASignature(rawRepresentation: good).derRepresentation
        let zero = [UInt8](repeating: 0, count: 32), one = [UInt8](repeating: 0, count: 31) + [1]
        let max = [UInt8](repeating: 0xFF, count: 32)
        let others: [[UInt8]] = [
            Array(der), s + r, [0] + r + [0] + s, Array(r.reversed()) + Array(s.reversed()),
            zero + zero, zero + one, one + zero, CurveOrder.bytes + CurveOrder.bytes, CurveOrder.bytes + one,
            CurveOrder.prime + CurveOrder.prime, max + max, zero + s, r + zero, CurveOrder.sum(r, CurveOrder.bytes) + s,
            r + CurveOrder.bytes,
        ]
        for other in others {
            #expect(try await TestTokenIssuer.fault("\(signed).\(Base64URL.encode(other))") == .signature)
        }
    }

    @Test func `an Ed25519 signature with an unreduced scalar or the identity point is refused`() async throws {
        let header = TestTokenIssuer.header(#""EdDSA""#, kid: #""ed""#)
        let (signed, good) = try parts(try TestTokenIssuer.token(header, TestTokenIssuer.payload(), by: .ed))
        let sum = CurveOrder.sum(Array(good[32...].reversed()), CurveOrder.edwards.reversed())
        let identity: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        let zero = [UInt8](repeating: 0, count: 32)
        for other in [Array(good[..<32]) + sum.reversed(), identity + zero, identity + Array(good[32...]), zero + zero]
        {
            #expect(try await TestTokenIssuer.fault("\(signed).\(Base64URL.encode(other))") == .signature)
        }
    }

    @Test func `an RSA signature with a trivial value, another padding or another hash is refused`() async throws {
        let header = TestTokenIssuer.header(#""RS256""#, kid: #""rsa""#)
        let (signed, good) = try parts(try TestTokenIssuer.token(header, TestTokenIssuer.payload(), by: .rsa))
        let modulus = Array(try TestTokenIssuer.rsa.publicKey.getKeyPrimitives().modulus)
        let zero = [UInt8](repeating: 0, count: 256)
        let message = Data(signed.utf8)
        let pss = try TestTokenIssuer.rsa.signature(for: SHA256.hash(data: message), padding: .PSS)
        let sha1 = try TestTokenIssuer.rsa.signature(
            for: Insecure.SHA1.hash(data: message),
            padding: .insecurePKCS1v1_5
        )
        let sha512 = try TestTokenIssuer.rsa.signature(for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
        let others: [[UInt8]] = [
            zero, Array(zero.dropLast()) + [1], modulus, CurveOrder.sum(good, modulus), Array(pss.rawRepresentation),
            Array(sha1.rawRepresentation), Array(sha512.rawRepresentation), [0] + good, [0],
        ]
        for other in others {
            #expect(try await TestTokenIssuer.fault("\(signed).\(Base64URL.encode(other))") == .signature)
        }
    }

    @Test func `a token with the payload or signature of another token is refused`() async throws {
        let one = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()).split(separator: ".")
        let two = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["sub": #""eve""#])).split(
            separator: "."
        )
        #expect(try await TestTokenIssuer.fault("\(one[0]).\(two[1]).\(one[2])") == .signature)
        #expect(try await TestTokenIssuer.fault("\(one[0]).\(one[1]).\(two[2])") == .signature)
        let other = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(), by: .stranger)
        #expect(try await TestTokenIssuer.fault(other) == .signature)
    }
}
