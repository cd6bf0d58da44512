// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `The double of authservice` {
    let caller = TestHTTPClient(.authservice)

    private func signIn() throws -> (access: String, refresh: String) {
        let answer = try caller.post("/auth/login", ["email": "ann@example.com", "password": "secret"])
        try #require(answer.status == 200)
        #expect(answer.keys == ["access", "refresh"])
        return (try answer.text("access"), try answer.text("refresh"))
    }

    private func refresh(_ token: String) throws -> TestHTTPClient.Answer {
        var request = BackendRequest("POST", "/auth/refresh")
        request.bearer = token
        return try caller.send(request)
    }

    @Test func `the fake authservice refreshes with a bearer token and no body, and returns two new tokens`() throws {
        let first = try signIn()
        caller.clock.advance(by: .seconds(60))
        let answer = try refresh(first.refresh)
        #expect(answer.status == 200 && answer.keys == ["access", "refresh"])
        #expect(try answer.text("access") != first.access)
        #expect(try answer.text("refresh") != first.refresh)
        #expect(try caller.get("/dashboard", bearer: answer.text("access")).status == 200)
        let withBody = try caller.post("/auth/refresh", ["refresh": "x"], bearer: answer.text("refresh"))
        #expect(withBody.status == 400)
    }

    @Test func `a used, an unknown and a missing refresh token are refused`() throws {
        let first = try signIn()
        _ = try refresh(first.refresh)
        #expect(try refresh(first.refresh).status == 401)
        #expect(try refresh("rt_other").status == 401)
        #expect(try refresh(first.access).status == 401)
        #expect(try caller.send(BackendRequest("POST", "/auth/refresh")).status == 400)
        #expect(caller.backend.counts.refreshes == 5 && caller.backend.counts.grantedRefreshes == 1)
    }

    @Test func `a reused refresh token ends only its own session if reuse detection is on`() throws {
        caller.backend.settings.detectsReuse = true
        let (first, other) = (try signIn(), try signIn())
        let second = try refresh(first.refresh)
        #expect(try refresh(first.refresh).status == 401)
        #expect(try refresh(second.text("refresh")).status == 401)
        #expect(try caller.get("/dashboard", bearer: second.text("access")).status == 401)
        #expect(caller.backend.liveSessions == 1)
        #expect(try refresh(other.refresh).status == 200)
    }

    @Test func `an access token contains its expiry in base64url that plain base64 cannot decode`() throws {
        let access = try signIn().access
        let claims = try TestHTTPClient.claims(access)
        #expect(claims.expiresAt - claims.issuedAt == 600)
        #expect(claims.issuedAt == 1_800_000_000)
        let payload = access.split(separator: ".")[1]
        #expect(payload.contains("_") && payload.contains("-") && !payload.contains("="))
        #expect(try caller.get("/dashboard", bearer: access).text("email") == "ann@example.com")
    }

    @Test func `an access token is accepted before its expiry and refused from its expiry on`() throws {
        caller.backend.settings.accessLifetime = .seconds(10)
        let tokens = try signIn()
        caller.clock.advance(by: .milliseconds(9999))
        #expect(try caller.get("/dashboard", bearer: tokens.access).status == 200)
        caller.clock.advance(by: .milliseconds(1))
        #expect(try caller.get("/dashboard", bearer: tokens.access).status == 401)
        #expect(try refresh(tokens.refresh).status == 200)
    }

    @Test func `a signed-in user gets 403 without the permission and 500 for a server error`() throws {
        let access = try signIn().access
        #expect(try caller.get("/forbidden", bearer: access).status == 403)
        #expect(try caller.get("/broken", bearer: access).status == 500)
        #expect(try caller.get("/forbidden").status == 401)
        #expect(try caller.get("/elsewhere", bearer: access).status == 404)
        #expect(caller.backend.counts.requests == 4 && caller.backend.counts.refusals == 1)
    }

    @Test func `a sign-in with a wrong password, missing fields or no JSON content type is refused`() throws {
        let wrong = ["email": "ann@example.com", "password": AppBackend.wrongPassword]
        #expect(try caller.post("/auth/login", wrong).status == 401)
        #expect(try caller.post("/auth/login", [:]).status == 400)
        let request = BackendRequest("POST", "/auth/login", body: Data(#"{"email":"a@b","password":"x"}"#.utf8))
        #expect(try caller.send(request).status == 400, "a body that does not say that it is JSON is not read")
        #expect(caller.backend.counts.logins == 0 && caller.backend.liveSessions == 0)
    }
}
