// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import FreshetContract
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetContractServer
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The endpoints for OAuth libraries` {
    let server = ServerUnderTest()

    private static let account = #"{"email":"ann@example.com","password":"correct horse"}"#

    /// A server, and the grant of a session in plain mode.
    private func run(_ body: @Sendable (TestHTTPClient, TestHTTPClient.Reply) async throws -> Void) async throws {
        let wharf = try ServedContract(text: ContractFixture.wharf),
            quay = try ServedContract(text: ContractFixture.quay)
        try await server.run(server.configuration(wharf, quay)) { caller async throws in
            try await body(caller, try await caller.post("/signup", json: Self.account))
        }
    }

    private func form(_ caller: TestHTTPClient, _ path: String, _ fields: KeyValuePairs<String, String?>) async throws
        -> TestHTTPClient.Reply
    {
        let text = URLEncodedForm.encode(fields.compactMap { name, value in value.map { (name, $0) } })
        let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded;charset=UTF-8"]
        return caller.parse(try await caller.send(.post, path, text, headers: type))
    }

    private func refresh(_ caller: TestHTTPClient, _ token: String?) async throws -> TestHTTPClient.Reply {
        try await form(
            caller,
            "/oauth/token",
            [
                "grant_type": "refresh_token", "refresh_token": token, "client_id": "an app", "scope": "",
            ]
        )
    }

    @Test func `the refresh_token grant rotates the token, and a retry gets the same successor`() async throws {
        try await run { caller, grant async throws in
            let first = try await refresh(caller, grant["/refresh_token"])
            #expect(first.status == 200)
            #expect(first["/token_type"] == "Bearer")
            #expect(first["/expires_in"] == "300")
            #expect(first.answer.headers[.cacheControl] == "no-store")
            #expect(first.answer.headers[try #require(HTTPField.Name("Pragma"))] == "no-cache")
            let again = try await refresh(caller, grant["/refresh_token"])
            #expect(again["/refresh_token"] == first["/refresh_token"])
            #expect(try await refresh(caller, first["/refresh_token"]).status == 200)
            #expect(try await refresh(caller, grant["/refresh_token"]).answer.error == "409 superseded")
            #expect(try await caller.get("/ships", bearer: again["/access_token"]).status == 200)
        }
    }

    @Test func `errors of the token endpoint follow RFC 6749 section 5.2`() async throws {
        try await run { caller, grant async throws in
            let token = grant["/refresh_token"]
            let cases: [(KeyValuePairs<String, String?>, String)] = [
                ([:], "400 invalid_request"),
                (["grant_type": "refresh_token"], "400 invalid_request"),
                (["grant_type": "", "refresh_token": token], "400 invalid_request"),
                (["grant_type": "password", "username": "a", "password": "b"], "400 unsupported_grant_type"),
                (["grant_type": "authorization_code", "code": "x"], "400 unsupported_grant_type"),
                (["grant_type": "refresh_token", "refresh_token": "nonsense"], "400 invalid_grant"),
                (
                    ["grant_type": "refresh_token", "refresh_token": token, "refresh_token": token],
                    "400 invalid_request"
                ),
                (
                    ["client_id": "a", "grant_type": "refresh_token", "refresh_token": token, "client_id": "b"],
                    "400 invalid_request"
                ),
            ]
            for (fields, error) in cases {
                let reply = try await form(caller, "/oauth/token", fields)
                #expect(reply.answer.error == error)
                #expect(reply.answer.headers[.cacheControl] == "no-store")
            }
            let json = try await caller.post("/oauth/token", json: #"{"grant_type":"refresh_token"}"#)
            #expect(json.answer.error == "400 invalid_request")
            let large = try await form(caller, "/oauth/token", ["grant_type": String(repeating: "x", count: 20_000)])
            #expect(large.answer.error == "413 content_too_large")
            #expect(try await caller.send(.get, "/oauth/token").error == "405 method_not_allowed")
            #expect(try await refresh(caller, token).status == 200)
        }
    }

    @Test func `a session that is bound to intents is not refreshed without one`() async throws {
        try await run { caller, _ async throws in
            let native = try await caller.signIn()
            #expect(try await refresh(caller, native.refreshToken).answer.error == "400 invalid_request")
            let next: SessionTokens = try await caller.refresh(native.refreshToken, .random()).json()
            #expect(try await refresh(caller, next.refreshToken).answer.error == "400 invalid_request")
            #expect(try await caller.refresh(next.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a session whose refresh token never changes is refreshed only through its contract`() async throws {
        try await run { caller, _ async throws in
            let grant = try await caller.post("/quay/login", json: Self.account)
            #expect(try await refresh(caller, grant["/refresh"]).answer.error == "400 invalid_request")
            let body = #"{"token":"\#(grant["/refresh"] ?? "")"}"#
            #expect(try await caller.post("/quay/refresh", json: body).status == 200)
        }
    }

    @Test(arguments: ["/refresh_token", "/access_token"], [nil, "refresh_token", "access_token", "other"])
    func `a revocation of either token ends the session, regardless of the hint`(place: String, hint: String?)
        async throws
    {
        try await run { caller, grant async throws in
            for _ in 0..<2 {
                let reply = try await form(caller, "/oauth/revoke", ["token": grant[place], "token_type_hint": hint])
                #expect(reply.status == 200)
                #expect(reply.answer.body.isEmpty)
            }
            #expect(try await refresh(caller, grant["/refresh_token"]).answer.error == "400 invalid_grant logout")
            #expect(try await caller.get("/ships", bearer: grant["/access_token"]).status == 401)
        }
    }

    @Test func `a revocation of an unknown token succeeds, and a malformed revocation request is refused`() async throws
    {
        try await run { caller, _ async throws in
            for token in ["nonsense", "frt_AAAA", "a.b.c"] {
                #expect(try await form(caller, "/oauth/revoke", ["token": token]).status == 200)
            }
            #expect(try await form(caller, "/oauth/revoke", [:]).answer.error == "400 invalid_request")
            #expect(
                try await form(caller, "/oauth/revoke", ["token": "a", "token": "b"]).answer.error
                    == "400 invalid_request"
            )
            #expect(try await caller.post("/oauth/revoke", json: "{}").answer.error == "400 invalid_request")
        }
    }
}
