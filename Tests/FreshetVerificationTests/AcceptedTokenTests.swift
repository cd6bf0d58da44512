// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetWire
import Testing

@testable import FreshetJWT

/// Unusual tokens that real issuers write: refusing them would break their users.
@Suite(.timeLimit(.minutes(5))) struct `Accepted tokens` {
    private func expectGood(_ token: String, keys: String = TestTokenIssuer.published) async throws {
        #expect(try await TestTokenIssuer.fault(token, keys: keys) == nil)
    }

    @Test func `a token of each algorithm is accepted with the key that its header names`() async throws {
        try await expectGood(try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()))
        try await expectGood(
            try TestTokenIssuer.token(TestTokenIssuer.header(kid: #""second""#), TestTokenIssuer.payload(), by: .second)
        )
        try await expectGood(
            try TestTokenIssuer.token(
                TestTokenIssuer.header(#""RS256""#, kid: #""rsa""#),
                TestTokenIssuer.payload(),
                by: .rsa
            )
        )
        try await expectGood(
            try TestTokenIssuer.token(
                TestTokenIssuer.header(#""EdDSA""#, kid: #""ed""#),
                TestTokenIssuer.payload(),
                by: .ed
            )
        )
    }

    @Test func `a verified token contains its issuer, subject, audiences, times and other claims`() async throws {
        let text = try TestTokenIssuer.token(
            TestTokenIssuer.header,
            TestTokenIssuer.payload(["aud": #"["other","api"]"#, "role": #""admin""#])
        )
        let token = try await TestTokenIssuer.verifier().verify(text)
        #expect(token.issuer == TestTokenIssuer.issuer)
        #expect(token.subject == "ann")
        #expect(token.audiences == ["other", "api"])
        #expect(token.expiresAt == TestTokenIssuer.now + 600)
        #expect(token.issuedAt == TestTokenIssuer.now)
        #expect(token.session == "s1")
        #expect(token.client == "app")
        #expect(token.claims["role"]?.string == "admin")
    }

    @Test(
        arguments: [
            ["aud": #"["api"]"#], ["exp": "1800000600.75"], ["exp": "1.8000006e9"], ["exp": "18000006E2"],
            ["sub": #""Zo\u00eb 👩‍🚀""#], ["iat": nil], ["nbf": "1800000000"],
            ["deep": #"{"a":[{"b":[1,2,{"c":null}]}]}"#],
            ["iat": "1800000029"], ["exp": "1799999971"],
        ] as [[String: String?]]
    )
    func `a token with unusual but valid claims is accepted`(changes: [String: String?]) async throws {
        var payload = TestTokenIssuer.payload()
        for (name, value) in changes { payload = TestTokenIssuer.payload([name: value]) }
        try await expectGood(try TestTokenIssuer.token(TestTokenIssuer.header, payload))
    }

    @Test func `a token with a long subject or three thousand bytes of claims is accepted`() async throws {
        let subject = "\"" + String(repeating: "s", count: 255) + "\""
        try await expectGood(
            try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["sub": subject]))
        )
        let claims = "\"" + String(repeating: "c", count: 3072) + "\""
        try await expectGood(
            try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["roles": claims]))
        )
    }

    @Test(arguments: [
        #"{"kid":"es","typ":"at+jwt","alg":"ES256"}"#,
        #"{ "alg" : "ES256" , "typ" : "at+jwt" , "kid" : "es" }"#,
        "{\"alg\":\"ES256\",\r\n \"typ\":\"at+jwt\",\r\n\t\"kid\":\"es\"}",
        ##"{"\u0061lg":"ES256","typ":"at+jwt","k\u0069d":"e\u0073"}"##,
        #"{"alg":"ES256","typ":"application/at+jwt","kid":"es"}"#,
        #"{"alg":"ES256","typ":"AT+JWT","kid":"es"}"#,
        #"{"alg":"ES256","typ":"APPLICATION/AT+jwt","kid":"es","unknown":{"a":1}}"#,
        #"{"alg":"ES256","typ":"at+jwt","kid":"es","b64":true}"#,
    ])
    func `a token with an unusual but valid header is accepted`(header: String) async throws {
        try await expectGood(try TestTokenIssuer.token(header, TestTokenIssuer.payload()))
    }

    @Test func `a token is accepted with either of the two signatures that ECDSA allows`() async throws {
        let parts = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()).split(separator: ".")
        let signature = try #require(Base64URL.decode(parts[2]))
        let other = Array(signature[..<32]) + CurveOrder.minus(Array(signature[32...]))
        try await expectGood("\(parts[0]).\(parts[1]).\(Base64URL.encode(other))")
    }

    @Test func `a token is accepted under a key set with unknown keys and members`() async throws {
        let keys = #"""
            {"note":1,"keys":[{"kty":"LATER","kid":"x"},{"kty":"EC"},7,{"kty":"oct","kid":"o","k":"AAAA"},\#
            {"kty":"EC","crv":"P-521","kid":"big","x":"AA","y":"AA"},\#
            \#(TestTokenIssuer.curveKey("es", TestTokenIssuer.curve.publicKey, more: #","key_ops":["verify"],"x5t":"abc""#))]}
            """#
        try await expectGood(try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()), keys: keys)
    }
}
