// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `The double of creatist` {
    let caller = TestHTTPClient(.creatist)

    private func signIn() throws -> TestHTTPClient.Answer {
        try caller.post("/auth/login", ["email": "ann@example.com", "password": "secret"])
    }

    private func refresh(_ token: String) throws -> TestHTTPClient.Answer {
        try caller.post("/auth/refresh", ["refresh_token": token])
    }

    @Test func `a sign-in response states the same lifetime as the access token's claims`() throws {
        let answer = try signIn()
        #expect(answer.status == 200 && answer.keys == ["access_token", "expires_in", "refresh_token"])
        #expect(answer.fields["expires_in"] as? Int == 900)
        let claims = try TestHTTPClient.claims(answer.text("access_token"))
        #expect(claims.expiresAt - claims.issuedAt == 900)
        #expect(try caller.get("/items", bearer: answer.text("access_token")).status == 200)
    }

    @Test func `a refresh response contains a refresh token only if the backend rotates it`() throws {
        let first = try signIn().text("refresh_token")
        let second = try refresh(first).text("refresh_token")
        #expect(second != first)
        #expect(try refresh(first).status == 401)
        caller.backend.settings.rotates = false
        #expect(try refresh(second).keys == ["access_token", "expires_in"])
        #expect(try refresh(second).status == 200)
    }

    @Test func `sign-in and refresh responses can omit the access token's lifetime`() throws {
        caller.backend.settings.statesExpiry = false
        let answer = try signIn()
        #expect(answer.keys == ["access_token", "refresh_token"])
        #expect(try refresh(answer.text("refresh_token")).keys == ["access_token", "refresh_token"])
    }

    @Test func `an access token can be opaque and still expires after its lifetime`() throws {
        caller.backend.settings.grantsReadableTokens = false
        let token = try signIn().text("access_token")
        #expect(!token.contains("."))
        #expect(try caller.get("/items", bearer: token).status == 200)
        caller.clock.advance(by: .seconds(900))
        #expect(try caller.get("/items", bearer: token).status == 401)
    }

    @Test func `a refresh with a malformed form body is refused`() throws {
        caller.backend.settings.refreshTokenPlace = .form
        let headers: BackendHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
        let form = BackendRequest("POST", "/auth/refresh", headers: headers, body: Data("refresh_token=%zz&%".utf8))
        #expect([400, 401].contains(try caller.send(form).status))
    }

    @Test func `a fake backend can expect the refresh token in a form or as a bearer token`() throws {
        let first = try signIn().text("refresh_token")
        caller.backend.settings.refreshTokenPlace = .form
        #expect(try refresh(first).status == 400)
        let form = BackendRequest(
            "POST",
            "/auth/refresh",
            headers: ["content-type": "application/x-www-form-urlencoded"],
            body: Data("grant_type=refresh_token&refresh_token=\(first)".utf8)
        )
        let second = try caller.send(form).text("refresh_token")
        caller.backend.settings.refreshTokenPlace = .bearer
        var bare = BackendRequest("POST", "/auth/refresh")
        bare.bearer = second
        #expect(try caller.send(bare).status == 200)
    }

    @Test func `a rotated refresh token has a full lifetime of its own`() throws {
        var token = try signIn().text("refresh_token")
        for _ in 0..<3 {
            caller.clock.advance(by: .seconds(29 * 86_400))
            token = try refresh(token).text("refresh_token")
        }
        caller.clock.advance(by: .seconds(30 * 86_400))
        #expect(try refresh(token).status == 401)
    }

    @Test func `refresh tokens can be revoked while access tokens stay valid`() throws {
        let tokens = try signIn()
        caller.backend.revokeRefreshTokens()
        #expect(try refresh(tokens.text("refresh_token")).status == 401)
        #expect(try caller.get("/items", bearer: tokens.text("access_token")).status == 200)
        caller.backend.endSessions()
        #expect(try caller.get("/items", bearer: tokens.text("access_token")).status == 401)
    }

    @Test func `a fake backend can create a signed-in session without a request`() throws {
        let grant = caller.backend.signIn()
        #expect(try caller.get("/items", bearer: grant.accessToken).text("owner") == grant.userID)
        #expect(try refresh(#require(grant.refreshToken)).status == 200)
        #expect(caller.backend.counts.logins == 0)
    }
}
