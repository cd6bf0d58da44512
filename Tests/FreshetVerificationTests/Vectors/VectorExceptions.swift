// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The files of Project Wycheproof, and every deviation of our code from them.
enum VectorExceptions {
    private static let otherCurve = "ES256 on P-256 is the only ECDSA algorithm that is accepted"
    private static let weakKey = "a key with the ROCA weakness: the issuer's choice of keys is not checked for it"
    private static let shortTag = "a truncated MAC: HS256 has 32 bytes (RFC 7518 section 3.2)"

    /// Signatures and MACs, checked by `VerificationKey`.
    static let signatures: [VectorFile] = [
        VectorFile(name: "ecdsa_secp256r1_sha256_p1363_test.json", cases: 262, accepted: 173),
        VectorFile(
            name: "ecdsa_secp256r1_sha256_test.json",
            cases: 484,
            accepted: 0,
            exceptions: [.allValid("DER: a JWS has r and s, 32 bytes each (RFC 7518 section 3.4)")]
        ),
        VectorFile(
            name: "ecdsa_secp384r1_sha384_p1363_test.json",
            cases: 280,
            accepted: 0,
            exceptions: [.allValid(otherCurve)]
        ),
        VectorFile(
            name: "ecdsa_secp521r1_sha512_p1363_test.json",
            cases: 318,
            accepted: 0,
            exceptions: [.allValid(otherCurve)]
        ),
        VectorFile(name: "ed25519_test.json", cases: 151, accepted: 88),
        VectorFile(
            name: "hmac_sha256_test.json",
            cases: 174,
            accepted: 30,
            exceptions: [
                .init(82...108, shortTag),
                .init(163...165, "a key of 16 bytes: HS256 needs 32 (RFC 7518 section 3.2)"),
                .init(166...168, shortTag),
                .init(172...174, shortTag),
            ]
        ),
        VectorFile(
            name: "rsa_pss_2048_sha256_mgf1_32_test.json",
            cases: 108,
            accepted: 0,
            exceptions: [.allValid("PS256 is not accepted: RS256 is the only RSA algorithm")]
        ),
        VectorFile(
            name: "rsa_signature_2048_sha256_test.json",
            cases: 259,
            accepted: 9,
            exceptions: [.init(8, "acceptable in the file: the ASN.1 lacks NULL, which RFC 8017 requires")]
        ),
    ]

    /// Whole tokens with their keys, checked by `JWKSet` and `CompactJWS`.
    static let tokens: [VectorFile] = [
        VectorFile(
            name: "json_web_signature_test.json",
            cases: 401,
            accepted: 20,
            exceptions: [
                .init(264...267, "RS384 is not accepted"),
                .init(268...271, "RS512 is not accepted"),
                .init(272...275, "PS256 is not accepted"),
                .init(287...288, "PS256 is not accepted"),
                .init(320...323, "PS384 is not accepted"),
                .init(325...328, "PS512 is not accepted"),
                .init(346, "PS384 is not accepted"),
                .init(347, "ES512 is not accepted"),
                .init(350, "PS384 is not accepted"),
                .init(351, "ES512 is not accepted"),
                .init(
                    367,
                    "an error of the file: this invalid token is byte for byte the valid token of 357"
                ),
                .init(
                    370,
                    "an error of the file: this invalid token is byte for byte the valid token of 357"
                ),
                .init(372, "an error of the file: the header has a character that is not base64url"),
                .init(373, "an error of the file: the payload has a character that is not base64url"),
            ]
        ),
        VectorFile(
            name: "json_web_key_test.json",
            cases: 26,
            accepted: 5,
            exceptions: [
                .init(1, "a key set with a secret and a public key: secrets are ignored outside of tests"),
                .init(7, weakKey),
                .init(14, "HS384 is not accepted"),
                .init(15, "HS512 is not accepted"),
            ]
        ),
        VectorFile(
            name: "json_web_crypto_test.json",
            cases: 83,
            accepted: 6,
            exceptions: [
                .init(46, weakKey),
                .init(47, "a key set with a secret and a public key: secrets are ignored outside of tests"),
                .init(50, "a JWE: encrypted tokens are not accepted"),
                .init(67, "a JWE: encrypted tokens are not accepted"),
            ]
        ),
    ]

    /// Encrypted tokens, which `TokenVerifier` must refuse.
    static let encryptedTokens = VectorFile(
        name: "json_web_encryption_test.json",
        cases: 139,
        accepted: 0,
        exceptions: [.allValid("a JWE: encrypted tokens are not accepted")]
    )

    /// The files of algorithms that no code of ours uses.
    static let unused: [String: String] = [
        "pbkdf2_hmacsha1_test.json": "passwords are hashed with scrypt",
        "pbkdf2_hmacsha256_test.json": "passwords are hashed with scrypt",
        "rsa_pkcs1_2048_test.json": "RSA decryption: no code of ours decrypts with RSA",
    ]
}
