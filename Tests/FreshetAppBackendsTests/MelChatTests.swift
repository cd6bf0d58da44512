// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `The double of melchat` {
    let caller = TestHTTPClient(.melchat)

    private func signIn(_ email: String = "mel@example.com") throws -> TestHTTPClient.Answer {
        let asked = try caller.post("/api/auth/login", ["email": email])
        #expect(asked.status == 200 && asked.fields["success"] as? Bool == true)
        return try caller.post("/api/auth/verify", ["email": email, "code": AppBackend.emailCode])
    }

    private func refresh(_ token: String) throws -> TestHTTPClient.Answer {
        try caller.post("/api/auth/refresh", ["refreshToken": token])
    }

    @Test func `a verified code signs the user in, and the response reports whether the user is new`() throws {
        let answer = try signIn()
        #expect(answer.keys == ["accessToken", "expiresIn", "refreshToken", "success", "user"])
        #expect(answer.fields["expiresIn"] as? Int == 2_592_000)
        let user = try answer.object("user")
        #expect(user["username"] as? String == "mel" && user["isNewUser"] as? Bool == true)
        #expect(UUID(uuidString: try #require(user["id"] as? String)) != nil)
        #expect(try signIn().object("user")["isNewUser"] as? Bool == false)
        #expect(try caller.get("/api/me", bearer: answer.text("accessToken")).status == 200)
        #expect(caller.backend.counts.logins == 2)
    }

    @Test func `an email code is refused if it was not requested, is wrong or is already used`() throws {
        let right = ["email": "mel@example.com", "code": AppBackend.emailCode]
        #expect(try caller.post("/api/auth/verify", right).status == 401)
        _ = try caller.post("/api/auth/login", ["email": "mel@example.com"])
        #expect(try caller.post("/api/auth/verify", ["email": "mel@example.com", "code": "000000"]).status == 401)
        #expect(try caller.post("/api/auth/verify", right).status == 200)
        let again = try caller.post("/api/auth/verify", right)
        #expect(again.status == 401 && again.fields["success"] as? Bool == false)
    }

    @Test func `a refresh response has no refresh token, and the old one stays valid`() throws {
        let token = try signIn().text("refreshToken")
        for _ in 0..<2 {
            let answer = try refresh(token)
            #expect(answer.status == 200 && answer.keys == ["accessToken", "expiresIn", "success"])
        }
        #expect(try refresh("rt_other").fields["success"] as? Bool == false)
        #expect(try refresh("rt_other").status == 401)
    }

    @Test func `a refresh response contains the new refresh token if the backend rotates`() throws {
        let first = try signIn().text("refreshToken")
        caller.backend.settings.rotates = true
        let second = try refresh(first).text("refreshToken")
        #expect(second != first)
        #expect(try refresh(first).status == 401)
        #expect(try refresh(second).status == 200)
    }

    @Test func `a sign-out ends one session, and a sign-out everywhere ends all of the user's sessions`() throws {
        let (here, there, stranger) = (try signIn(), try signIn(), try signIn("bob@example.com"))
        let token = try here.text("refreshToken")
        let answer = try caller.post("/api/auth/logout", ["refreshToken": token])
        #expect(answer.body == #"{"success":true,"message":"Logged out successfully"}"#)
        #expect(try refresh(token).status == 401)
        #expect(try caller.get("/api/me", bearer: here.text("accessToken")).status == 401)
        #expect(try caller.post("/api/auth/logout", ["refreshToken": token]).status == 200, "it is over")
        #expect(try caller.post("/api/auth/logout", ["refreshToken": "made-up"]).status == 401)
        #expect(caller.backend.liveSessions == 2)

        #expect(try caller.post("/api/auth/logout-all", [:], bearer: there.text("accessToken")).status == 200)
        #expect(try refresh(there.text("refreshToken")).status == 401)
        #expect(try refresh(stranger.text("refreshToken")).status == 200)
        #expect(caller.backend.counts.logouts == 3)
    }

    @Test func `the legacy backend returns a single token and has no refresh or sign-out endpoint`() throws {
        caller.backend.settings.isLegacy = true
        let answer = try signIn()
        #expect(answer.status == 200 && answer.keys == ["success", "token"])
        #expect(try caller.get("/api/me", bearer: answer.text("token")).status == 200)
        #expect(try refresh("rt_x").status == 404)
        #expect(try caller.post("/api/auth/logout", ["refreshToken": "rt_x"]).status == 404)
        caller.clock.advance(by: .seconds(2_592_000))
        #expect(try caller.get("/api/me", bearer: answer.text("token")).status == 401)
    }

    @Test func `a failed refresh can have status 200`() throws {
        let token = try signIn().text("refreshToken")
        caller.backend.fail(.unsuccessful)
        let answer = try refresh(token)
        #expect(answer.status == 200 && answer.fields["success"] as? Bool == false)
        #expect(caller.backend.counts.grantedRefreshes == 0)
    }
}
