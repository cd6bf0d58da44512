// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `Faults of a double` {
    let caller = TestHTTPClient(.creatist)
    let token: String

    init() throws {
        token = try #require(caller.backend.signIn().refreshToken)
    }

    private func refresh(_ token: String? = nil) throws -> TestHTTPClient.Answer {
        try caller.post("/auth/refresh", ["refresh_token": token ?? self.token])
    }

    @Test func `a refresh whose response is lost has used its refresh token`() throws {
        caller.backend.fail(.replyLost)
        #expect(throws: TestHTTPClient.ConnectionClosed.self) { try refresh() }
        #expect(caller.backend.counts.refreshes == 1 && caller.backend.counts.grantedRefreshes == 1)
        #expect(try refresh().status == 401, "the token was used by a client that never saw the new one")
    }

    @Test func `a lost request has no effect and is not recorded`() throws {
        caller.backend.fail(.requestLost)
        #expect(throws: TestHTTPClient.ConnectionClosed.self) { try refresh() }
        #expect(caller.backend.counts == BackendCounts() && caller.backend.exchanges.isEmpty)
        #expect(try refresh().status == 200)
    }

    @Test func `a status fault can prevent a refresh or follow a completed one`() throws {
        caller.backend.fail(.status(500), .status(503, acts: true))
        #expect(try refresh().status == 500)
        #expect(try refresh().status == 503)
        #expect(try refresh().status == 401)
    }

    @Test(arguments: [429, 503])
    func `a status fault can include a Retry-After header`(status: Int) throws {
        caller.backend.fail(.status(status, retryAfter: 7), .status(status))
        let answer = try refresh()
        #expect(answer.status == status && answer.response.headers["retry-after"] == "7")
        #expect(try refresh().response.headers["Retry-After"] == nil)
        #expect(try refresh().status == 200)
    }

    @Test func `a response with status 204 or 304 has no body`() throws {
        caller.backend.fail(.status(204), .status(304), .status(400))
        let answers = try (0..<3).map { _ in try refresh() }
        #expect(answers.map(\.status) == [204, 304, 400])
        #expect(answers.map { $0.response.body.isEmpty } == [true, true, false])
    }

    @Test(arguments: [200, 403, 502])
    func `an HTML fault replaces the response with an intermediary's page without a Date header`(status: Int) throws {
        caller.backend.fail(.html(status: status))
        let answer = try refresh()
        #expect(answer.status == status && answer.body.hasPrefix("<!DOCTYPE html>"))
        #expect(answer.response.headers.fields == ["Content-Type": "text/html"])
        #expect(try refresh().status == 200)
    }

    @Test func `a garbage response is labelled as JSON but is not valid UTF-8`() throws {
        caller.backend.fail(.garbage)
        let answer = try refresh()
        #expect(answer.status == 200 && answer.response.headers["Content-Type"] == "application/json")
        #expect(String(bytes: answer.response.body, encoding: .utf8) == nil)
    }

    @Test func `a truncated response is incomplete, but its refresh has used the refresh token`() throws {
        caller.backend.fail(.truncated)
        let answer = try refresh()
        #expect(answer.status == 200 && answer.body.hasPrefix(#"{"access_token":"#) && answer.fields.isEmpty)
        #expect(try refresh().status == 401)
    }

    @Test func `a refresh with an empty response has used its refresh token`() throws {
        caller.backend.fail(.empty)
        let answer = try refresh()
        #expect(answer.status == 200 && answer.response.body.isEmpty)
        #expect(try refresh().status == 401)
    }

    @Test func `a mislabelled response is complete, and its refresh has succeeded`() throws {
        caller.backend.fail(.mislabelled(), .mislabelled(as: "text/html"))
        let answer = try refresh()
        #expect(answer.response.headers["Content-Type"] == "text/plain")
        let next = try answer.text("refresh_token")
        #expect(try refresh(next).response.headers["Content-Type"] == "text/html")
        #expect(caller.backend.counts.grantedRefreshes == 2)
    }

    @Test func `a redirect leads to the same path at the given origin`() throws {
        caller.backend.fail(.redirect(to: "https://elsewhere.example"))
        let answer = try refresh()
        #expect(answer.status == 307)
        #expect(answer.response.headers["Location"] == "https://elsewhere.example/auth/refresh")
    }

    @Test func `a redirect keeps the query and leads to the other origin by default`() throws {
        caller.backend.settings.otherOrigin = "http://127.0.0.1:9"
        caller.backend.fail(.redirect(), at: .api)
        let answer = try caller.send(BackendRequest("GET", "/items", query: [URLQueryItem(name: "page", value: "a b")]))
        #expect(answer.response.headers["Location"] == "http://127.0.0.1:9/items?page=a%20b")
    }

    @Test func `requests to the other origin are counted separately, with and without a token`() throws {
        let grant = caller.backend.signIn()
        func stray(_ request: BackendRequest) throws -> TestHTTPClient.Answer {
            var request = request
            request.host = "Elsewhere.example"
            return try caller.send(request)
        }
        #expect(try stray(BackendRequest("GET", "/items")).body == #"{"elsewhere":true}"#)
        #expect(caller.backend.counts.strays == 1 && caller.backend.counts.straysWithToken == 0)
        _ = try stray(BackendRequest("GET", "/items", json: [:], bearer: "of somebody else"))
        _ = try stray(BackendRequest("GET", "/items", json: [:], bearer: grant.accessToken))
        _ = try stray(BackendRequest("POST", "/auth/refresh", json: ["refresh_token": token]))
        _ = try stray(BackendRequest("GET", "/x", query: [URLQueryItem(name: "token", value: grant.accessToken)]))
        #expect(caller.backend.counts.strays == 5 && caller.backend.counts.straysWithToken == 4)
        #expect(caller.backend.counts.requests == 0 && caller.backend.counts.refreshes == 0)
        #expect(caller.backend.exchanges.allSatisfy { $0.endpoint == .elsewhere })
        #expect(try refresh().status == 200, "the other origin did not act on the token")
    }

    @Test func `faults apply to their own path, in order, as often as requested`() throws {
        let access = caller.backend.signIn().accessToken
        caller.backend.fail(.status(502), .status(503), at: "/items", times: 2)
        #expect(try refresh().status == 200)
        #expect(try (0..<5).map { _ in try caller.get("/items", bearer: access).status } == [502, 502, 503, 503, 200])

        caller.backend.fail(.status(500), at: "/*", times: nil)
        #expect(try (0..<3).map { _ in try caller.get("/items", bearer: access).status } == [500, 500, 500])
        #expect(try caller.get("/forbidden", bearer: access).status == 500)
        caller.backend.clearFaults()
        #expect(try caller.get("/items", bearer: access).status == 200)
        caller.backend.fail(.status(500), at: "/items", times: 0)
        #expect(try caller.get("/items", bearer: access).status == 200)
    }
}
