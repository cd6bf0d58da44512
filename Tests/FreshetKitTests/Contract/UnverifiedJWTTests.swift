// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Unverified claims` {
    private static func token(_ claims: String) -> String {
        let parts = [#"{"alg":"RS256"}"#, claims, "signature"].map { Data($0.utf8).base64EncodedString() }
        return parts.joined(separator: ".").replacing("=", with: "")
    }

    @Test func `the registered claims of a JWT are read`() throws {
        let claims = try #require(
            UnverifiedJWT(
                Self.token(
                    #"{"iss":"https://id.example","sub":123,"aud":["a","b"],"exp":1800000600,"nbf":1800000000,"#
                        + #""iat":"1800000000","jti":"x","name":"Ada"}"#
                )
            )
        )
        #expect(claims.issuer == "https://id.example")
        #expect(claims.subject == "123")
        #expect(claims.audience == ["a", "b"])
        #expect(claims.expiresAt == Date(timeIntervalSince1970: 1_800_000_600))
        #expect(claims.notBefore == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(claims.issuedAt == claims.notBefore)
        #expect(claims.id == "x")
        #expect(claims.text("name") == "Ada" && claims.text("aud") == nil && claims.text("nothing") == nil)
    }

    @Test func `an app decodes its own claims from a JWT`() throws {
        struct Own: Decodable, Equatable {
            var role: String
            var exp: Date
        }
        let claims = try #require(UnverifiedJWT(Self.token(#"{"role":"editor","exp":1800000600}"#)))
        let own = try claims.decode(Own.self)
        #expect(own == Own(role: "editor", exp: Date(timeIntervalSince1970: 1_800_000_600)))
        #expect(throws: DecodingError.self) { try claims.decode([String].self) }
    }

    @Test(arguments: ["", "opaque", "a.b", "a.b.c", "..", "a.e30.c.d", token("[]"), token("1"), token("{")])
    func `a string that is not a JWT is rejected`(text: String) {
        #expect(UnverifiedJWT(text) == nil)
    }

    /// The apps' own readers took plain base64 and so read many tokens for expired.
    @Test func `JWT claims are read from base64 and base64url`() throws {
        let claims = #"{"sub":"??>>~~é"}"#
        let body = Data(claims.utf8).base64EncodedString()
        #expect(body.contains("+") || body.contains("/"))
        for text in [body, body.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")] {
            #expect(UnverifiedJWT("e30.\(text).s")?.subject == "??>>~~é")
        }
    }

    @Test func `a registered claim with an invalid value is ignored`() throws {
        let claims = try #require(UnverifiedJWT(Self.token(#"{"exp":"soon","iat":1e999,"sub":"","aud":7,"iss":null}"#)))
        #expect(claims.expiresAt == nil && claims.issuedAt == nil)
        #expect(claims.subject == nil && claims.audience.isEmpty && claims.issuer == nil)
    }

    @Test func `the description of a JWT does not contain its claims`() throws {
        let claims = try #require(UnverifiedJWT(Self.token(#"{"sub":"ann@example.com"}"#)))
        var text = "\(claims) \(String(reflecting: claims))"
        dump(claims, to: &text)
        #expect(!text.contains("ann"))
    }

    // MARK: Expiry

    @Test func `an access token and its session report whether the token has expired or expires soon`() async throws {
        let bench = SessionFixture()
        let session = try bench.session()
        #expect(session.isAccessTokenExpired && session.isAccessTokenExpiring())
        try await session.signIn(.test)
        let token = try await session.accessToken()
        let now = bench.clock.wall
        #expect(!token.isExpired(at: now) && token.isExpired(at: now.addingTimeInterval(600)))
        #expect(!token.isExpiring(within: .seconds(599), at: now) && token.isExpiring(within: .seconds(600), at: now))

        #expect(!session.isAccessTokenExpiring() && !session.isAccessTokenExpired)
        // A wall clock that was set a year ahead decides nothing.
        bench.clock.moveWallClock(by: 365 * 86_400)
        #expect(!session.isAccessTokenExpired)
        bench.clock.advance(by: .seconds(539))
        #expect(!session.isAccessTokenExpiring())
        bench.clock.advance(by: .seconds(1))
        #expect(session.isAccessTokenExpiring() && !session.isAccessTokenExpired)
        bench.clock.advance(by: .seconds(60))
        #expect(session.isAccessTokenExpired)
    }
}
