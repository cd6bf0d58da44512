// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetJWT

/// Tokens that the issuer signed, and that are not good here or not good now.
@Suite(.timeLimit(.minutes(5))) struct `Tokens with invalid claims` {
    @Test(arguments: [
        "1800000000", "1799999970", "1", "0", "-1", "-1800000600", "1799999969.999", "-1e308",
    ])
    func `an expired token is refused after a leeway of 30 seconds`(exp: String) async throws {
        let isOver = (Double(exp) ?? 0) + 30 <= TestTokenIssuer.now
        #expect(try await TestTokenIssuer.fault(claims: ["exp": exp]) == (isOver ? .expired : nil))
    }

    @Test(
        arguments: [
            nil, #""1800000600""#, #""2027-01-15T08:00:00Z""#, "true", "null", "[]", "[1800000600]", "{}",
            // Milliseconds, and what wraps or is infinite elsewhere.
            "1800000600000", "1e308", "1e400", "-1e400", "9223372036854775807", "9223372036854775808",
            "18446744073709551615",
            "4294967296", "6094967896", "18446744075509552216", "1831623001",
        ] as [String?]
    )
    func `a token without an expiry or with an implausible expiry is refused`(exp: String?) async throws {
        #expect(try await TestTokenIssuer.fault(claims: ["exp": exp]) == .claims)
    }

    @Test func `a token with a future or malformed nbf or iat claim is refused`() async throws {
        #expect(try await TestTokenIssuer.fault(claims: ["nbf": "1800000031"]) == .notYetValid)
        #expect(try await TestTokenIssuer.fault(claims: ["nbf": "1e300"]) == .notYetValid)
        #expect(try await TestTokenIssuer.fault(claims: ["iat": "1800000031"]) == .issuedLater)
        for value in [#""1800000000""#, "null", "true", "[]", "1e400"] {
            #expect(try await TestTokenIssuer.fault(claims: ["nbf": value]) == .claims)
            #expect(try await TestTokenIssuer.fault(claims: ["iat": value]) == .claims)
        }
    }

    @Test(
        arguments: [
            nil, #""https://other.example""#, #""https://issuer.example.evil""#, #""https://issuer.example/""#,
            #""https://Issuer.example""#, #""http://issuer.example""#, #"["https://issuer.example"]"#, "null", #""""#,
            #""https://issuer.example ""#, "1",
        ] as [String?]
    )
    func `a token of another issuer is refused`(iss: String?) async throws {
        #expect(try await TestTokenIssuer.fault(claims: ["iss": iss]) == .issuer)
    }

    @Test(
        arguments: [
            nil, #""other""#, #""ap""#, #""api2""#, #""api/""#, #""API""#, "[]", #"["other"]"#, #"["api",1]"#,
            #"[null,"api"]"#,
            #"[["api"]]"#, #"{"api":1}"#, "null", "1", #""api other""#, #""api,other""#, #""""#,
        ] as [String?]
    )
    func `a token for another audience is refused`(aud: String?) async throws {
        #expect(try await TestTokenIssuer.fault(claims: ["aud": aud]) == .audience)
    }

    @Test(arguments: [nil, #""""#, "1", #"["ann"]"#, "null", "{}"] as [String?])
    func `a token without a valid subject is refused`(sub: String?) async throws {
        #expect(try await TestTokenIssuer.fault(claims: ["sub": sub]) == .subject)
    }

    @Test(
        arguments: [
            nil, #""JWT""#, #""jwt""#, #""id+jwt""#, #""logout+jwt""#, #""dpop+jwt""#, #""secevent+jwt""#,
            #""at+jwt ""#,
            #""text/at+jwt""#, #""application/application/at+jwt""#, #""""#, "1", "null", #"["at+jwt"]"#,
        ] as [String?]
    )
    func `a token of another type is refused`(typ: String?) async throws {
        let header = #"{"alg":"ES256","kid":"es"\#(typ.map { #","typ":\#($0)"# } ?? "")}"#
        #expect(try await TestTokenIssuer.fault(try TestTokenIssuer.token(header, TestTokenIssuer.payload())) == .type)
    }

    @Test func `the leeway of token rules is at most one minute and at least zero`() {
        var rules = TokenRules(issuer: "i", audience: "a")
        for (asked, given) in [(3600.0, 60.0), (-5, 0), (.infinity, 60), (.nan, 0), (45, 45)] {
            rules.setLeeway(asked)
            #expect(rules.leeway == given)
        }
    }
}
