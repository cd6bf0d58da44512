// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire
import Testing

@testable import FreshetJWT

/// Keys against signatures that others published: Project Wycheproof's files, as they lie beside swift-crypto's tests in
/// every checkout of this package, and the examples of the standards.
@Suite(.timeLimit(.minutes(5))) struct `Published test vectors` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../.build/checkouts/swift-crypto/Tests").standardized

    /// Runs a file, and gives how many of its cases were judged.
    private func run(_ file: String) throws -> Int {
        let data = try Data(contentsOf: Self.folder.appending(path: file))
        let groups = try #require(try JSONParser.parse(data).object?["testGroups"]?.array)
        var judged = 0
        for group in groups.compactMap(\.object) {
            let jwk = try #require((group["publicKeyJwk"] ?? group["keyJwk"])?.object)
            let key = try #require(VerificationKey(jwk))
            for test in (group["tests"]?.array ?? []).compactMap(\.object) {
                guard let result = test["result"]?.string, result != "acceptable" else { continue }
                let message = try Self.bytes(test["msg"]), signature = try Self.bytes(test["sig"])
                #expect(
                    key.isValidSignature(signature, of: message) == (result == "valid"),
                    "\(file) \(test["tcId"]?.text ?? "") \(test["comment"]?.string ?? "")"
                )
                judged += 1
            }
        }
        return judged
    }

    private static func bytes(_ value: JSONValue?) throws -> [UInt8] {
        let digits = Array(try #require(value?.string).utf8)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16))
        }
    }

    private static let isHere = FileManager.default.fileExists(atPath: folder.path)

    @Test(
        .enabled(if: isHere, "swift-crypto's checkout"),
        arguments: [
            ("Test Vectors/ecdsa_secp256r1_sha256_p1363_test.json", 250), ("Test Vectors/ed25519_test.json", 145),
            ("CryptoExtrasVectors/rsa_signature_2048_sha256_test.json", 230),
        ]
    )
    func `of signatures have the verdicts that they say`(file: String, least: Int) throws {
        #expect(try run(file) >= least)
    }

    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    @Test(arguments: [
        // RFC 7515 appendix A.1 and A.3, RFC 8037 appendix A.4.
        (
            #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#,
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + claims, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        ),
        (
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
            "eyJhbGciOiJFUzI1NiJ9." + claims,
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
        (
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        ),
    ])
    func `of the standards are good, and no other message is`(jwk: String, signed: String, signature: String) throws {
        let object = try #require(try JSONParser.parse(Array(jwk.utf8)).object)
        let key = try #require(VerificationKey(object, allowsSharedSecrets: true))
        let bytes = try #require(Base64URL.decode(signature))
        #expect(key.isValidSignature(bytes, of: Array(signed.utf8)))
        #expect(!key.isValidSignature(bytes, of: Array((signed + "A").utf8)))
        #expect(!key.isValidSignature(Array(bytes.dropLast()), of: Array(signed.utf8)))
    }

    @Test func `with a shared secret are taken only where that was asked for, and only if it is long enough`() throws {
        let secret = #"{"kty":"oct","kid":"a","k":"\#(Base64URL.encode([UInt8](repeating: 7, count: 32)))"}"#
        let short = #"{"kty":"oct","kid":"a","k":"\#(Base64URL.encode([UInt8](repeating: 7, count: 31)))"}"#
        #expect(throws: Never.self) { try JWKSet(Array(TestTokenIssuer.set(secret).utf8), allowsSharedSecrets: true) }
        #expect(throws: JWKSet.Fault.empty) {
            try JWKSet(Array(TestTokenIssuer.set(short).utf8), allowsSharedSecrets: true)
        }
        #expect(throws: JWKSet.Fault.empty) { try JWKSet(Array(TestTokenIssuer.set(secret).utf8)) }
    }
}
