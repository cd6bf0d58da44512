// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire
import Testing

@testable import FreshetJWT

/// The examples of RFC 7515, 7517, 7519, 7520, 8037 and 9449.
@Suite struct `Examples of the standards` {
    @Test(arguments: RFCExample.signatures)
    func `a signature of an RFC example is valid for its own message only`(example: RFCExample) throws {
        let object = try #require(try JSONParser.parse(Array(example.jwk.utf8)).object)
        let key = try #require(VerificationKey(object, allowsSharedSecrets: true))
        let bytes = try #require(Base64URL.decode(example.signature))
        #expect(key.isValidSignature(bytes, of: Array(example.signed.utf8)))
        #expect(!key.isValidSignature(bytes, of: Array((example.signed + "A").utf8)))
        #expect(!key.isValidSignature(Array(bytes.dropLast()), of: Array(example.signed.utf8)))
    }

    @Test func `the claims of RFC 7519 section 3 have the values that it states`() throws {
        let claims = try JWTClaims(try #require(Base64URL.decode(RFCExample.claims)))
        try claims.requireIssuer("joe")
        #expect(try claims.time("exp") == 1_300_819_380)
        #expect(claims["http://example.com/is_root"] == .bool(true))
        #expect(claims.object.members.count == 3)
    }

    /// Each is refused for the first reason: the unsecured ones have no key id, either.
    @Test func `tokens of the RFCs that must not be accepted are refused`() async throws {
        let critical =
            "eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQog"
            + "Imh0dHA6Ly9leGFtcGxlLmNvbS9VTkRFRklORUQiOnRydWUNCn0.RkFJTA."
        let examples: [(name: String, token: String, fault: TokenVerificationError)] = [
            ("RFC 7515 appendix A.5, RFC 7519 section 6.1", "eyJhbGciOiJub25lIn0.\(RFCExample.claims).", .unknownKey),
            ("RFC 7515 appendix E", critical, .critical),
            ("RFC 7515 appendix A.7", RFCExample.flattened, .malformed),
            ("RFC 7519 appendix A.1", RFCExample.encrypted, .malformed),
            ("RFC 7519 appendix A.2", RFCExample.nested, .malformed),
        ]
        for (name, token, fault) in examples { #expect(try await TestTokenIssuer.fault(token) == fault, "\(name)") }
        for example in RFCExample.signatures {
            let fault = try await TestTokenIssuer.fault(example.signed + "." + example.signature)
            // Tests accept shared secrets, verifiers do not; the other keys are not of this issuer.
            let isExpected = fault == .unknownKey || fault == .algorithm || fault == .type
            #expect(isExpected, "\(example)")
        }
    }

    @Test func `only public keys for signatures are read from the key sets of RFC 7517`() throws {
        let curve =
            #""kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","#
            + #""y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM""#
        let rsa = #"{"kty":"RSA","n":"\#(RFCExample.modulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#
        let published = try JWKSet(
            Array(TestTokenIssuer.set(#"{\#(curve),"use":"enc","kid":"1"}"#, rsa).utf8)
        )
        #expect(published["2011-04-29"]?.algorithm == .rs256)
        #expect(published["1"] == nil, "a key for encryption")

        let privateKey = #"{\#(curve),"d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE","use":"enc","kid":"1"}"#
        #expect(throws: JWKSet.Fault.empty) { try JWKSet(Array(TestTokenIssuer.set(privateKey).utf8)) }

        let secrets = TestTokenIssuer.set(
            #"{"kty":"oct","alg":"A128KW","k":"GawgguFyGrWKav7AX4VKUg"}"#,
            #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow","#
                + #""kid":"HMAC key used in JWS spec Appendix A.1 example"}"#
        )
        #expect(throws: JWKSet.Fault.empty) { try JWKSet(Array(secrets.utf8)) }
        #expect(try JWKSet(Array(secrets.utf8), allowsSharedSecrets: true).count == 1)
    }

    @Test(arguments: RFCExample.refusedKeys)
    func `a key of an RFC example is refused if it is private or for anything but accepted signatures`(
        example: RFCExample.RefusedKey
    ) throws {
        var key = try #require(try JSONParser.parse(Array(example.jwk.utf8)).object)
        #expect(VerificationKey(key, allowsSharedSecrets: true) == nil)
        // Without its private part, the key is refused only for another reason.
        key["d"] = nil
        #expect(VerificationKey(key, allowsSharedSecrets: true)?.algorithm.rawValue == example.algorithm)
    }

    @Test func `the key of RFC 7517 appendix B is read, and its certificate is ignored`() throws {
        let changed = RFCExample.certified.replacing("MIID", with: "AAAA")
        #expect(changed != RFCExample.certified)
        for jwk in [RFCExample.certified, changed] {
            let keys = try JWKSet(Array(TestTokenIssuer.set(jwk).utf8))
            #expect(keys["1b94c"]?.algorithm == .rs256)
        }
    }

    @Test func `the octets of RFC 7515 appendix C have the base64url text that it states`() {
        let octets: [UInt8] = [3, 236, 255, 224, 193]
        #expect(Base64URL.encode(octets) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == octets)
    }
}
