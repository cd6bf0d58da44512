// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetJWT

/// The last value that is accepted and the first that is refused.
@Suite(.timeLimit(.minutes(5))) struct `The limits of a token` {
    @Test func `a token of 16,384 bytes is parsed, and a longer one is not`() async throws {
        #expect(try await TestTokenIssuer.fault(String(repeating: "A", count: 16_384)) == .malformed)
        #expect(try await TestTokenIssuer.fault(String(repeating: "A", count: 16_385)) == .tooLarge)
    }

    @Test func `a token is accepted if nbf and iat are in the future by at most the leeway`() async throws {
        for claim in ["nbf", "iat"] {
            #expect(try await TestTokenIssuer.fault(claims: [claim: "1800000030"]) == nil)
        }
        #expect(try await TestTokenIssuer.fault(claims: ["nbf": "1800000030.25"]) == .notYetValid)
        #expect(try await TestTokenIssuer.fault(claims: ["iat": "1800000030.25"]) == .issuedLater)
    }

    @Test func `a token is valid until its expiry and the leeway have passed`() async throws {
        #expect(try await TestTokenIssuer.fault(claims: ["exp": "1799999970.25"]) == nil)
        #expect(try await TestTokenIssuer.fault(claims: ["exp": "1799999970"]) == .expired)
    }

    @Test func `a token is refused if it expires later than in 366 days plus the leeway`() async throws {
        let last = 1_800_000_000 + 366 * 24 * 60 * 60 + 30
        #expect(try await TestTokenIssuer.fault(claims: ["exp": "\(last)"]) == nil)
        #expect(try await TestTokenIssuer.fault(claims: ["exp": "\(last).25"]) == .claims)
    }

    @Test func `the leeway is 30 seconds by default and 60 at most`() {
        let rules = TokenRules(issuer: "i", audience: "a")
        #expect(rules.leeway == 30)
        #expect(TokenRules.maximumLeeway == 60)
        #expect(TokenRules(issuer: "i", audience: "a", leeway: 45).leeway == 45)
        #expect(TokenRules(issuer: "i", audience: "a", leeway: 61).leeway == 60)
        #expect(rules.type == "at+jwt")
        #expect(rules.algorithms == [.es256, .rs256, .edDSA])
    }

    @Test func `a token of an algorithm that is not accepted is refused, although its key is known`() async throws {
        let keys = try JWKSet(Array(TestTokenIssuer.published.utf8))
        var rules = TokenRules(issuer: TestTokenIssuer.issuer, audience: TestTokenIssuer.audience)
        rules.algorithms = [.es256]
        let verifier = TokenVerifier(rules, keys: .fixed(keys), now: { TestTokenIssuer.now })
        _ = try await verifier.verify(try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()))
        for (algorithm, kid, signer) in [("RS256", "rsa", TestTokenIssuer.Signer.rsa), ("EdDSA", "ed", .ed)] {
            let header = TestTokenIssuer.header("\"\(algorithm)\"", kid: "\"\(kid)\"")
            let token = try TestTokenIssuer.token(header, TestTokenIssuer.payload(), by: signer)
            await #expect(throws: TokenVerificationError.algorithm) { try await verifier.verify(token) }
        }
    }
}
