// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire
import Testing

@testable import FreshetJWT

/// Signatures and MACs of Project Wycheproof, verified as those of tokens are.
@Suite(.timeLimit(.minutes(5)), .enabled(if: VectorFolder.isPresent, VectorFolder.absence))
struct `Wycheproof's signatures` {
    @Test(arguments: VectorExceptions.signatures)
    func `signatures and MACs have the verdicts of Wycheproof, but for the named exceptions`(file: VectorFile) throws {
        var verdicts = VectorVerdicts()
        for group in try WycheproofFile(file.name).groups {
            let key = try Self.jwk(group).flatMap { VerificationKey($0) }
            for test in group.cases {
                let isAccepted: Bool
                if test.fields["tag"] != nil {
                    let secret = Base64URL.encode(try test.bytes("key"))
                    let jwk = JSONObject([.init("kty", .string("oct")), .init("k", .string(secret))])
                    let key = VerificationKey(jwk, allowsSharedSecrets: true)
                    isAccepted = key?.isValidSignature(try test.bytes("tag"), of: try test.bytes("msg")) ?? false
                } else {
                    isAccepted = key?.isValidSignature(try test.bytes("sig"), of: try test.bytes("msg")) ?? false
                }
                verdicts.record(test, isAccepted: isAccepted)
            }
        }
        verdicts.check(file)
    }

    /// With PSS, a key without `alg` could be used for RS256, too; the signature must not be valid under it.
    @Test func `RSA-PSS signatures are not valid under a key for RS256`() throws {
        var count = 0
        for group in try WycheproofFile("rsa_pss_2048_sha256_mgf1_32_test.json").groups {
            var jwk = try #require(try Self.jwk(group))
            jwk["alg"] = nil
            let key = try #require(VerificationKey(jwk))
            for test in group.cases {
                let isAccepted = key.isValidSignature(try test.bytes("sig"), of: try test.bytes("msg"))
                // The last case is a PKCS #1 signature, which RS256 has.
                #expect(isAccepted == (test.id == 108), "\(test.id) \(test.comment)")
                count += 1
            }
        }
        #expect(count == 108)
    }

    /// Returns the group's key as its issuer publishes it; `nil` if each case has its own.
    private static func jwk(_ group: WycheproofFile.Group) throws -> JSONObject? {
        if let jwk = group.fields["publicKeyJwk"] ?? group.fields["keyJwk"] { return jwk.object }
        guard let point = group.fields["publicKey"]?.object else { return nil }
        let (curve, length) = try #require(curves[point["curve"]?.string ?? ""])
        func coordinate(_ name: String) throws -> JSONValue {
            var bytes = try WycheproofFile.bytes(hexadecimal: try #require(point[name]?.string))
            // An ASN.1 integer: it has a zero byte before a leading one bit, and no other leading zeros.
            while bytes.count > length, bytes.first == 0 { bytes.removeFirst() }
            return .string(Base64URL.encode([UInt8](repeating: 0, count: max(0, length - bytes.count)) + bytes))
        }
        return JSONObject([
            .init("kty", .string("EC")), .init("crv", .string(curve)), .init("x", try coordinate("wx")),
            .init("y", try coordinate("wy")),
        ])
    }

    private static let curves = [
        "secp256r1": ("P-256", 32), "secp384r1": ("P-384", 48), "secp521r1": ("P-521", 66),
    ]
}
