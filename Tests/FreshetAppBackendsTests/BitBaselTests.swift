// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `The double of bitbasel` {
    let caller = TestHTTPClient(.bitbasel)

    private func signIn(_ token: String = "apple-token") throws -> TestHTTPClient.Answer {
        let answer = try caller.post("/auth/apple", ["identity_token": token])
        try #require(answer.status == 200)
        return answer
    }

    private func refresh(_ token: String) throws -> TestHTTPClient.Answer {
        try caller.post("/auth/refresh", ["refresh_token": token])
    }

    @Test func `a sign-in response contains the tokens, the token type, the user and the profile flag`() throws {
        let answer = try signIn()
        #expect(
            answer.keys == ["access_token", "email", "has_profile", "refresh_token", "token_type", "user_id"]
        )
        #expect(answer.fields["token_type"] as? String == "bearer")
        #expect(answer.fields["email"] is NSNull && answer.fields["has_profile"] as? Bool == false)
        let claims = try TestHTTPClient.claims(answer.text("access_token"))
        #expect(claims.expiresAt - claims.issuedAt == 1800)
        #expect(try caller.get("/posts/feed", bearer: answer.text("access_token")).status == 200)
    }

    @Test func `a JWT identity token identifies the user, and a user keeps the same id`() throws {
        let payload = Data(#"{"sub":"001.abc","email":"user@example.com"}"#.utf8).base64EncodedString()
        let answer = try signIn("e30.\(payload.replacing("=", with: "")).x")
        #expect(try answer.text("email") == "user@example.com")
        let again = try signIn("e30.\(payload.replacing("=", with: "")).y")
        #expect(again.fields["user_id"] as? Int == answer.fields["user_id"] as? Int)
        #expect(try signIn("other").fields["user_id"] as? Int != answer.fields["user_id"] as? Int)
    }

    @Test func `a refresh brings a new access token and the same refresh token`() throws {
        let first = try signIn()
        let second = try refresh(first.text("refresh_token"))
        #expect(second.status == 200 && second.keys == first.keys)
        #expect(try second.text("refresh_token") == first.text("refresh_token"))
        #expect(try second.text("access_token") != first.text("access_token"))
        #expect(try refresh(first.text("refresh_token")).status == 200)
    }

    @Test(arguments: [false, true])
    func `a session ends seven days after its sign-in, regardless of its refreshes`(rotates: Bool) throws {
        caller.backend.settings.rotates = rotates
        var token = try signIn().text("refresh_token")
        for _ in 0..<6 {
            caller.clock.advance(by: .seconds(86_400))
            let next = try refresh(token).text("refresh_token")
            #expect((next != token) == rotates)
            token = next
        }
        caller.clock.advance(by: .seconds(86_400))
        let answer = try refresh(token)
        #expect(answer.status == 401)
        #expect(answer.body == #"{"detail":"Invalid or expired refresh token"}"#)
    }

    @Test func `a malformed and a missing refresh token get different errors`() throws {
        #expect(try refresh("garbage").body == #"{"detail":"Invalid token format"}"#)
        #expect(try refresh("garbage").status == 401)
        #expect(try caller.post("/auth/refresh", [:]).status == 422)
        #expect(try caller.post("/auth/apple", ["identity_token": ""]).status == 422)
    }

    @Test func `a fake backend can omit the refresh token from its sign-in response`() throws {
        caller.backend.settings.grantsRefreshToken = false
        #expect(try signIn().fields["refresh_token"] == nil)
    }

    @Test func `a refresh response can omit an unchanged refresh token, but contains a rotated one`() throws {
        let first = try signIn()
        caller.backend.settings.repeatsRefreshToken = false
        #expect(try refresh(first.text("refresh_token")).fields["refresh_token"] == nil)
        caller.backend.settings.rotates = true
        #expect(try refresh(first.text("refresh_token")).text("refresh_token") != first.text("refresh_token"))
    }

    @Test func `a WebSocket handshake gets 101 with a valid access token and 403 with an expired one`() throws {
        func handshake(_ token: String?, upgrade: String? = "WebSocket") throws -> Int {
            var request = BackendRequest("GET", "/ws/feed", query: [URLQueryItem(name: "token", value: token)])
            request.headers["Upgrade"] = upgrade
            return try caller.send(request).status
        }
        let access = try signIn().text("access_token")
        #expect(try handshake(access) == 101)
        #expect(try handshake(access, upgrade: nil) == 426)
        #expect(try handshake("other") == 403)
        #expect(try handshake(nil) == 403)
        caller.clock.advance(by: .seconds(1800))
        #expect(try handshake(access) == 403)
        #expect(caller.backend.counts.handshakes == 5 && caller.backend.counts.requests == 0)
    }

    @Test func `access tokens can be revoked before their expiry while the session continues`() throws {
        let first = try signIn()
        caller.backend.revokeAccessTokens()
        #expect(try caller.get("/posts/feed", bearer: first.text("access_token")).status == 401)
        let second = try refresh(first.text("refresh_token"))
        #expect(try caller.get("/posts/feed", bearer: second.text("access_token")).status == 200)
        #expect(caller.backend.counts.refusals == 1)
    }
}
