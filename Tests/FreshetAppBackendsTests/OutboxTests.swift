// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `The double of outbox` {
    let caller = TestHTTPClient(.outbox)

    private func signIn(_ email: String = "ann@example.com") throws -> [String: Any] {
        let answer = try caller.post("/api/v1/auth/login", ["email": email, "password": "secret"])
        #expect(answer.status == 200 && answer.keys == ["data"])
        return try answer.object("data")
    }

    private func refresh(_ token: Any?) throws -> TestHTTPClient.Answer {
        try caller.post("/api/v1/auth/refresh", ["refresh_token": #require(token as? String)])
    }

    @Test func `every refresh returns a new token pair in an envelope`() throws {
        let first = try signIn()
        let answer = try refresh(first["refresh_token"])
        let second = try answer.object("data")
        #expect(answer.status == 200 && second.keys.sorted() == ["access_token", "refresh_token"])
        #expect(second["refresh_token"] as? String != first["refresh_token"] as? String)
    }

    @Test func `used and unknown refresh tokens are refused with the error texts that the app expects`() throws {
        let token = try signIn()["refresh_token"]
        _ = try refresh(token)
        let answer = try refresh(token)
        #expect(answer.status == 401 && answer.body.contains("Refresh token revoked"))
        #expect(try refresh("rt_other").body.contains("Refresh token invalid"))
    }

    @Test func `the status of a refused refresh is configurable`() throws {
        let token = try signIn()["refresh_token"]
        caller.backend.settings.refusalStatus = 400
        _ = try refresh(token)
        let answer = try refresh(token)
        #expect(answer.status == 400 && answer.body.contains("Refresh token revoked"))
    }

    @Test func `a fake backend can return its tokens under camel case keys`() throws {
        caller.backend.settings.casing = .camel
        let first = try signIn()
        #expect(first.keys.sorted() == ["accessToken", "refreshToken"])
        #expect(try refresh(first["refreshToken"]).object("data").keys.sorted() == ["accessToken", "refreshToken"])
    }

    @Test func `accepted messages are recorded in order with their users`() throws {
        let (ann, bob) = (try signIn(), try signIn("bob@example.com"))
        for (session, text) in [(ann, "one"), (bob, "two"), (ann, "three")] {
            let token = try #require(session["access_token"] as? String)
            #expect(try caller.post("/api/v1/messages", ["text": text], bearer: token).status == 201)
        }
        #expect(try caller.post("/api/v1/messages", ["text": "four"], bearer: "stale").status == 401)
        let messages = caller.backend.messages
        let isSecond = messages.map { String(decoding: $0.body, as: UTF8.self).contains("two") }
        #expect(isSecond == [false, true, false])
        #expect(messages.count == 3 && messages[0].userID == messages[2].userID)
        #expect(messages[0].userID != messages[1].userID)
        #expect(caller.backend.counts.requests == 4 && caller.backend.counts.refusals == 1)
    }
}
