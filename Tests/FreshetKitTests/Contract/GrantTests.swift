// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Grant` {
    private func jwt(_ claims: String) -> String {
        "e30." + Base64URL.encode(Array(claims.utf8)) + ".c2ln"
    }

    private static func answer(_ text: String) -> HTTPReply {
        let headers = ["Content-Type": "application/json", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        return HTTPReply(status: 200, headers: headers, body: Data(text.utf8))
    }

    private func body(
        access: String = "abc",
        refresh: String = Fixtures.refreshToken(4),
        type: String = "Bearer",
        session: String = Fixtures.session?.description ?? "",
        expiresIn: Int = 600,
        more: String = ""
    ) -> HTTPReply {
        Self.answer(
            """
            {"access_token":"\(access)","token_type":"\(type)","expires_in":\(expiresIn),"refresh_token":"\(refresh)",
            "refresh_expires_in":9,"session_id":"\(session)","user":{"id":"u1","email":"a@b"},"server_time":1000.5\(more)}
            """
        )
    }

    @Test func `a grant is read, with the generation from its token`() throws {
        let grant = try Contract.freshet.grant(from: body())
        #expect(grant.generation == 4)
        #expect(grant.sessionID == Fixtures.session?.description)
        #expect(grant.lifetime == .seconds(600))
        #expect(grant.userID == "u1" && grant.email == "a@b")
    }

    @Test func `the refresh_after value of a response is read, and an invalid one is ignored`() throws {
        #expect(try Contract.freshet.grant(from: body(more: #","refresh_after":512"#)).refreshAfter == .seconds(512))
        for text in ["", #","refresh_after":0"#, #","refresh_after":-5"#, #","refresh_after":"soon""#] {
            #expect(try Contract.freshet.grant(from: body(more: text)).refreshAfter == nil)
        }
    }

    @Test(arguments: ["123", "true", "[\"a\"]", "{}", "1e3"])
    func `a token value that is not a string is rejected`(value: String) {
        let refresh = Fixtures.refreshToken(4)
        for text in [
            #"{"access_token":\#(value),"refresh_token":"\#(refresh)","expires_in":600}"#,
            #"{"access_token":"abc","refresh_token":\#(value),"expires_in":600}"#,
        ] {
            #expect(throws: ContractFault.self) { try Contract.freshet.grant(from: Self.answer(text)) }
        }
    }

    @Test(
        arguments: [
            ("rt=; Path=/old; Max-Age=0, rt=R2; Path=/", "R2"), ("rt=R2; Path=/, rt=; Path=/old; Max-Age=0", "R2"),
            ("rt=R1; Expires=Thu, 01 Jan 1970 00:00:00 GMT, rt=R2", "R2"), ("other=a,b; Path=/, rt=R2; Secure", "R2"),
            ("rt=R1; Expires=Sun, 06 Nov 2094 08:49:37 GMT; HttpOnly", "R1"), ("x=1; rt=no", nil),
            ("rt=R1; Max-Age=0", nil),
            ("rt=\"R2\"", "R2"), ("rt=R1, rt=R2", "R2"), ("rt=a=b==", "a=b=="), ("", nil), ("rt", nil),
        ] as [(String, String?)]
    )
    func `a cookie's value is the last one that the response does not delete`(field: String, value: String?) {
        let headers = ["Set-Cookie": field, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(HTTPReply(status: 200, headers: headers, body: Data()).cookie("rt") == value)
    }

    @Test func `an issue time that is not a number does not invalidate the expiry of a JWT`() {
        let times = JWTTimes(jwt(#"{"iat":"yesterday","exp":2000}"#))
        #expect(times?.expiresAt == 2000 && times?.issuedAt == nil)
    }

    @Test func `a response that violates the contract is rejected as a grant`() {
        let broken = [
            body(access: "a b"), body(access: #"a\r\nX: y"#), body(access: ""), body(refresh: "opaque"),
            body(refresh: ""), body(type: "mac"), body(session: Fixtures.otherSession?.description ?? ""),
            Self.answer(""), Self.answer("[]"), Self.answer(#"{"access_token":"a"}"#),
        ]
        for body in broken {
            #expect(throws: ContractFault.self) { try Contract.freshet.grant(from: body) }
        }
    }

    @Test func `a grant's lifetime is the shorter one of expires_in and the token's claims`() throws {
        func lifetime(_ claims: String, expiresIn: Int = 600) throws -> Duration {
            try Contract.freshet.grant(from: body(access: jwt(claims), expiresIn: expiresIn)).lifetime
        }
        #expect(try lifetime(#"{"iat":5000,"exp":5300}"#) == .seconds(300))
        #expect(try lifetime(#"{"iat":5000,"exp":9000}"#) == .seconds(600))
        #expect(try lifetime(#"{"exp":784111877}"#) == .seconds(100), "the server's clock stands in for iat")
        #expect(try lifetime(#"{"iat":5000}"#) == .seconds(600))
        #expect(try lifetime(#"{"iat":5000,"exp":4000}"#) == .zero, "it has expired when it comes")
        #expect(try lifetime(#"{"iat":"x","exp":true}"#) == .seconds(600))
        #expect(try lifetime("{}", expiresIn: 0) == .zero)
    }

    @Test func `an adopted token's lifetime comes from its claims, its expires_in or the contract's default`() throws {
        func lifetime(_ access: String, _ expiresIn: Duration?) throws -> Duration {
            let tokens = TokenGrant(
                accessToken: access,
                refreshToken: Fixtures.refreshToken(0),
                expiresIn: expiresIn
            )
            return try Contract.freshet.grant(from: tokens).lifetime
        }
        #expect(try lifetime("opaque", nil) == .seconds(300))
        #expect(try lifetime("opaque", .seconds(20)) == .seconds(20))
        #expect(try lifetime(jwt(#"{"iat":1,"exp":11}"#), .seconds(20)) == .seconds(10))
        #expect(throws: ContractFault.self) {
            try Contract.freshet.grant(from: TokenGrant(accessToken: "a", refreshToken: "b"))
        }
    }

    /// An app took such tokens for expired.
    @Test func `JWT times are read from base64 and base64url, with or without padding`() {
        let claims = #"{"exp":2,"iat":1,"s":"??>>~~ÿÿ"}"#
        let url = Base64URL.encode(Array(claims.utf8))
        let standard = Data(claims.utf8).base64EncodedString()
        #expect(url.contains("-") || url.contains("_"))
        for payload in [url, standard] {
            let times = JWTTimes("e30.\(payload).x")
            #expect(times?.issuedAt == 1 && times?.expiresAt == 2)
        }
        for text in ["", "a.b", "a.b.c.d", "..", "e30.!!.x"] { #expect(JWTTimes(text) == nil) }
    }
}
