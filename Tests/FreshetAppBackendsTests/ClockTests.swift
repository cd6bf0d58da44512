// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `The clock of a double` {
    let caller = TestHTTPClient(.creatist)

    @Test func `clock skew shifts the Date header and the issue time of tokens, but not their lifetime`() throws {
        caller.backend.settings.clockSkew = .seconds(-3600)
        let answer = try caller.post("/auth/login", ["email": "a@b", "password": "x"])
        #expect(answer.response.headers["Date"] == "Fri, 15 Jan 2027 07:00:00 GMT")
        let access = try answer.text("access_token")
        #expect(try TestHTTPClient.claims(access).issuedAt == 1_800_000_000 - 3600)
        caller.clock.advance(by: .seconds(899))
        #expect(try caller.get("/items", bearer: access).status == 200)
        caller.clock.advance(by: .seconds(1))
        #expect(try caller.get("/items", bearer: access).status == 401)
    }

    @Test func `a step of the backend's clock makes access tokens expire early or late`() throws {
        let access = caller.backend.signIn().accessToken
        caller.backend.settings.clockSkew = .seconds(900)
        #expect(try caller.get("/items", bearer: access).status == 401)
        caller.backend.settings.clockSkew = .seconds(-60)
        caller.clock.advance(by: .seconds(930))
        #expect(try caller.get("/items", bearer: access).status == 200)
    }

    @Test func `the backend's clock ignores changes of the device's wall clock`() throws {
        caller.clock.moveWallClock(by: 86_400)
        let access = caller.backend.signIn().accessToken
        #expect(try TestHTTPClient.claims(access).issuedAt == 1_800_000_000)
    }

    @Test(arguments: [
        (0.0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
        (1_735_689_599.9, "Tue, 31 Dec 2024 23:59:59 GMT"),
    ])
    func `the Date header has the HTTP date format`(seconds: Double, text: String) throws {
        let backend = AppBackend(.outbox, now: { Date(timeIntervalSince1970: seconds) })
        guard case .answer(let response) = backend.respond(to: BackendRequest("GET", "/")) else {
            Issue.record("no answer")
            return
        }
        #expect(response.headers["Date"] == text)
    }
}
