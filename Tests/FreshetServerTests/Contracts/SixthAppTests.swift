// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetServer

/// An app that nobody here has heard of is one JSON text and no Swift.
@Suite(.timeLimit(.minutes(5)))
struct `A sixth app` {
    let server = ServerUnderTest()

    /// Form bodies, an envelope, a token header without a scheme, codes with an attempt, devices: each differs from the
    /// five apps.
    private static let contract = """
        {
          "contract": 1, "name": "pedalo", "rotation": "always",
          "variables": { "version": { "about": "of the API", "default": "v3" } },
          "endpoints": {
            "login.signup": { "path": "/${version}/register", "form": { "mail": "$username", "secret": "$password" } },
            "login.password": { "method": "PUT", "path": "/${version}/door", "form": { "mail": "$username", "secret": "$password" } },
            "login.code": { "path": "/${version}/code", "json": { "user": { "mail": "$email" } } },
            "login.code.verify": { "path": "/${version}/code/$attempt", "json": { "digits": "$code", "on": "$device" } },
            "login.swan": { "path": "/${version}/swan", "json": { "feather": "$code" } },
            "refresh": { "path": "/${version}/again", "form": { "secret": "$refresh_token" } },
            "logout": { "method": "DELETE", "path": "/${version}/door", "attach": true },
            "me": { "method": "GET", "path": "/${version}/me", "attach": true },
            "sessions.list": { "method": "GET", "path": "/${version}/boats", "attach": true },
            "sessions.revoke": { "method": "DELETE", "path": "/${version}/boats/${id}", "attach": true }
          },
          "reply": {
            "success": { "at": "/ok", "equals": true },
            "envelope": "/result",
            "access": "/tokens/now", "refresh": "/tokens/later", "session": "header:X-Boat",
            "user": { "id": "/who/id", "email": "/who/mail" }, "attempt": "/ticket",
            "expiry": [{ "in": "/tokens/ms", "unit": "ms" }, { "at": "/tokens/until", "unit": "s" }],
            "refreshExpiry": { "sources": [{ "in": "/tokens/end", "unit": "s" }], "extends": true }
          },
          "attach": { "header": "X-Pedalo-Token", "scheme": "" },
          "server": {
            "rotation": "plain",
            "replies": { "sessions.list": { "json": { "boats": "$sessions" } } },
            "resources": [ { "path": "/v3/lake", "reply": { "json": { "for": "user $user_number", "at": "$now" } } } ],
            "errors": { "notFound": { "status": 404, "json": { "ok": false } } }
          }
        }
        """

    private static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

    private func token(_ token: String?) throws -> HTTPFields {
        [try #require(HTTPField.Name("X-Pedalo-Token")): try #require(token)]
    }

    @Test func `an app with its own contract signs in, sends requests, refreshes and signs out`() async throws {
        try await server.run(server.configuration(try ServedContract(text: Self.contract))) { caller async throws in
            let account = "mail=ann%40example.com&secret=correct+horse"
            let first = caller.parse(try await caller.send(.post, "/v3/register", account, headers: Self.form))
            #expect(first.status == 200)
            #expect(first.json?.object?["ok"] == .bool(true))
            #expect(first["/result/who/mail"] == "ann@example.com")
            #expect(first["/result/tokens/end"] == "2592000")
            let until = try #require(first["/result/tokens/until"].flatMap(Double.init))
            let life = until - server.readClock().seconds
            #expect(life <= 600 && life > 500, "spread a little, and never longer")
            let boat = first.answer.headers[try #require(HTTPField.Name("X-Boat"))]
            #expect(boat.flatMap { SessionID($0) } != nil)

            let signIn = caller.parse(try await caller.send(.put, "/v3/door", account, headers: Self.form))
            let access = try token(signIn["/result/tokens/now"])
            let lake = caller.parse(try await caller.send(.get, "/v3/lake", headers: access))
            #expect(lake["/for"] == "user 1")
            let me = caller.parse(try await caller.send(.get, "/v3/me", headers: access))
            #expect(me["/result/who/mail"] == "ann@example.com")

            let later = try #require(signIn["/result/tokens/later"])
            let again = caller.parse(try await caller.send(.post, "/v3/again", "secret=\(later)", headers: Self.form))
            #expect(again["/result/tokens/later"].map { $0 != later } == true)

            let boats = caller.parse(try await caller.send(.get, "/v3/boats", headers: access))
            #expect(boats.json?.object?["boats"]?.array?.count == 2)
            #expect(try await caller.send(.delete, "/v3/boats/\(boat ?? "")", headers: access).status == 200)
            let gone = caller.parse(try await caller.send(.delete, "/v3/boats/\(boat ?? "")", headers: access))
            #expect(gone.status == 404)
            #expect(gone.json?.object?["ok"] == .bool(false))

            let out = caller.parse(try await caller.send(.delete, "/v3/door", headers: access))
            #expect(out.status == 200)
            #expect(out.json?.object?["ok"] == .bool(true))
            // Where the contract has no words of its own, the native ones stand.
            #expect(try await caller.send(.get, "/v3/lake", headers: access).error == "401 invalid_token")
            let dead = try await caller.send(.post, "/v3/again", "secret=\(later)", headers: Self.form)
            #expect(dead.error == "400 invalid_grant logout")
        }
    }

    @Test func `an app with its own contract signs in with a code`() async throws {
        try await server.run(server.configuration(try ServedContract(text: Self.contract))) { caller async throws in
            let asked = try await caller.post("/v3/code", json: #"{"user":{"mail":"ann@example.com"}}"#)
            #expect(asked.status == 202)
            let attempt = try #require(asked["/result/ticket"])
            let line = try #require(caller.log.lines.last { $0["attempt"] == attempt })
            let body = #"{"digits":"\#(line["code"] ?? "")","on":{"name":"Ann's boat","app_version":"3"}}"#
            let grant = try await caller.post("/v3/code/\(attempt)", json: body)
            #expect(grant.status == 200)
            let access = try token(grant["/result/tokens/now"])
            let boats = caller.parse(try await caller.send(.get, "/v3/boats", headers: access))
            #expect(boats["/boats/0/device/name"] == "Ann's boat")
            #expect(boats["/boats/0/device/app_version"] == "3")
            #expect(try await caller.post("/v3/code/\(attempt)", json: body).status == 400)
        }
    }

    @Test func `a sign-in by a method that the server does not support gets 501`() async throws {
        try await server.run(server.configuration(try ServedContract(text: Self.contract))) { caller async throws in
            let answer = try await caller.post("/v3/swan", json: #"{"feather":"x"}"#)
            #expect(answer.status == 501)
            #expect(answer["/error"] == "not_implemented")
        }
    }

    @Test func `a contract's server returns tokens in a cookie and in a form-encoded response`() async throws {
        let text = Self.contract
            .replacing(
                #""access": "/tokens/now", "refresh": "/tokens/later""#,
                with: #""access": "/now", "refresh": "cookie:later""#
            )
            .replacing(#""envelope": "/result","#, with: #""encoding": "form","#)
            .replacing(#""success": { "at": "/ok", "equals": true },"#, with: "")
            .replacing(#""form": { "secret": "$refresh_token" }"#, with: #""cookies": { "later": "$refresh_token" }"#)
        try await server.run(server.configuration(try ServedContract(text: text))) { caller async throws in
            let account = "mail=ann%40example.com&secret=correct+horse"
            let grant = try await caller.send(.post, "/v3/register", account, headers: Self.form)
            #expect(grant.headers[.contentType] == "application/x-www-form-urlencoded")
            let fields = try #require(URLEncodedForm.decode(String(decoding: grant.body, as: UTF8.self)))
            #expect(fields.contains { $0.name == "now" && $0.value.hasPrefix("ey") })
            let cookie = try #require(grant.headers[.setCookie])
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; Secure; SameSite=Strict"))
            let pair = String(cookie.prefix { $0 != ";" })
            let again = try await caller.send(.post, "/v3/again", headers: [.cookie: pair])
            #expect(again.status == 200)
            #expect(again.headers[.setCookie] != cookie)
        }
    }
}
