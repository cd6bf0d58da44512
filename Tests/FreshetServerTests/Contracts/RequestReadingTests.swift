// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import FreshetContract
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Requests to contracts` {
    let server = ServerUnderTest()

    /// The server of a contract whose refresh is `endpoint`, and a session's refresh token.
    private func withRefresh(
        _ endpoint: String,
        _ body: @Sendable (TestHTTPClient, String) async throws -> Void
    ) async throws {
        let usual = #"{ "path": "/refresh", "json": { "refresh_token": "$refresh_token" } }"#
        let contract = try ServedContract(text: ContractFixture.wharf.replacing(usual, with: endpoint))
        try await server.run(server.configuration(contract)) { caller async throws in
            let account = #"{"email":"ann@example.com","password":"correct horse"}"#
            let grant = try await caller.post("/signup", json: account)
            try await body(caller, try #require(grant["/refresh_token"]))
        }
    }

    private static let usual = #"{ "path": "/refresh", "json": { "deep": [{ "er": "$refresh_token" }] } }"#

    @Test func `a contract request's JSON is read despite unknown members and a content type with parameters`()
        async throws
    {
        try await withRefresh(Self.usual) { caller, token async throws in
            let body = #"{"x":[1],"deep":[{"y":null,"er":"\#(token)"},7],"refresh_token":"frt_other"}"#
            #expect(try await caller.post("/refresh", json: body).status == 200)
            let parameters: HTTPFields = [.contentType: "Application/JSON; charset=utf-8"]
            #expect(try await caller.send(.post, "/refresh", body, headers: parameters).status == 200)
        }
    }

    @Test(
        arguments: [
            ("", "the body is not JSON"), ("{", "the body is not JSON"), (#"{"a":1,"a":1}"#, "the body is not JSON"),
            ("{}", "refresh_token is missing"), ("[]", "refresh_token is missing"),
            (#"{"deep":[{"er":null}]}"#, "refresh_token is missing"),
            (#"{"deep":[{"er":""}]}"#, "refresh_token is missing"),
            (#"{"deep":[{"er":{}}]}"#, "refresh_token has the wrong type"),
        ]
    )
    func `an invalid body of a contract request gets the contract's error response`(body: String, text: String)
        async throws
    {
        try await withRefresh(Self.usual) { caller, _ async throws in
            let reply = try await caller.post("/refresh", json: body)
            #expect(reply.status == 422)
            #expect(reply["/fault"] == "invalid")
            #expect(reply["/text"] == text)
            #expect(reply.answer.headers[.cacheControl] == "no-store")
            let id = try #require(HTTPField.Name("X-Request-ID"))
            #expect(reply.answer.headers[id]?.isEmpty == false)
        }
    }

    @Test func `a contract request with a wrong content type gets 415, and a large one gets 413`() async throws {
        try await withRefresh(Self.usual) { caller, _ async throws in
            let kind = caller.parse(
                try await caller.send(.post, "/refresh", "{}", headers: [.contentType: "text/plain"])
            )
            #expect(kind.status == 415)
            #expect(kind["/fault"] == "invalid")
            let large = #"{"deep":"\#(String(repeating: "x", count: 20_000))"}"#
            let size = try await caller.post("/refresh", json: large)
            #expect(size.status == 413)
            #expect(size["/fault"] == "invalid")
            // Where nothing is read from a body, it is bounded all the same.
            let unread = try await caller.post("/logout-all", json: large)
            #expect(unread.status == 413)
        }
    }

    @Test func `a refresh token is read from a form field that occurs once and is not empty`() async throws {
        let endpoint = #"{ "path": "/refresh", "form": { "rt": "$refresh_token", "fixed": "yes" } }"#
        try await withRefresh(endpoint) { caller, token async throws in
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            #expect(try await caller.send(.post, "/refresh", "a=b&rt=\(token)", headers: form).status == 200)
            #expect(try await caller.send(.post, "/refresh", "rt=\(token)&rt=x", headers: form).status == 422)
            #expect(try await caller.send(.post, "/refresh", "rt=", headers: form).status == 422)
            #expect(try await caller.post("/refresh", json: "{}").status == 415)
        }
    }

    @Test func `a refresh token is read from a single header field, regardless of the scheme's case`() async throws {
        let endpoint = #"{ "path": "/refresh", "headers": { "Authorization": "Bearer $refresh_token" } }"#
        try await withRefresh(endpoint) { caller, token async throws in
            #expect(
                try await caller.send(.post, "/refresh", headers: [.authorization: "bearer \(token)"]).status == 200
            )
            #expect(try await caller.send(.post, "/refresh", headers: [.authorization: "Basic \(token)"]).status == 422)
            #expect(try await caller.send(.post, "/refresh", headers: [:]).status == 422)
            var twice = HTTPFields()
            twice.append(HTTPField(name: .authorization, value: "Bearer \(token)"))
            twice.append(HTTPField(name: .authorization, value: "Bearer \(token)"))
            let reply = caller.parse(try await caller.send(.post, "/refresh", headers: twice))
            #expect(reply["/text"] == "more than one Authorization field")
        }
    }

    @Test func `a refresh token is read from the cookie that the contract names`() async throws {
        let endpoint = #"{ "path": "/refresh", "cookies": { "rt": "$refresh_token" } }"#
        try await withRefresh(endpoint) { caller, token async throws in
            #expect(try await caller.send(.post, "/refresh", headers: [.cookie: "a=b; rt=\(token); c=d"]).status == 200)
            #expect(try await caller.send(.post, "/refresh", headers: [.cookie: "art=\(token)"]).status == 422)
        }
    }

    @Test func `a cookie's value ends at a semicolon, even before a combining mark`() async throws {
        let endpoint = #"{ "path": "/refresh", "cookies": { "rt": "$refresh_token" } }"#
        try await withRefresh(endpoint) { caller, token async throws in
            let cookies = HTTPFields([HTTPField(name: .cookie, value: "rt=\(token);\u{301}c=d")])
            #expect(try await caller.send(.post, "/refresh", headers: cookies).status == 200)
        }
    }

    @Test func `a cookie's value does not end at U+037E, which Swift treats as equal to a semicolon`() async throws {
        let endpoint = #"{ "path": "/refresh", "cookies": { "rt": "$refresh_token" } }"#
        try await withRefresh(endpoint) { caller, token async throws in
            let cookies = HTTPFields([HTTPField(name: .cookie, value: "rt=\(token)\u{37E}c=d")])
            #expect(try await caller.send(.post, "/refresh", headers: cookies).status == 401)
        }
    }

    @Test func `a refresh token is read from the query, and it is not logged`() async throws {
        try await withRefresh(#"{ "path": "/refresh", "query": { "rt": "$refresh_token" } }"#) {
            caller,
            token async throws in
            let encoded = token.replacing("_", with: "%5F")
            #expect(try await caller.send(.post, "/refresh?a=b&rt=\(encoded)", headers: [:]).status == 200)
            #expect(!caller.log.lines.contains { $0.values.contains { $0.contains(token) } })
        }
    }

    @Test func `a refresh token is read from the path`() async throws {
        try await withRefresh(#"{ "path": "/sessions/${refresh_token}/refresh" }"#) { caller, token async throws in
            #expect(try await caller.send(.post, "/sessions/\(token)/refresh", headers: [:]).status == 200)
            #expect(try await caller.send(.post, "/sessions/refresh", headers: [:]).status == 404)
        }
    }

    @Test func `a refresh token is read from Basic credentials, and malformed credentials are refused`() async throws {
        try await withRefresh(#"{ "path": "/refresh", "basic": ["refresh", "$refresh_token"] }"#) {
            caller,
            token async throws in
            let good = Data("refresh:\(token)".utf8).base64EncodedString()
            #expect(try await caller.send(.post, "/refresh", headers: [.authorization: "Basic \(good)"]).status == 200)
            for bad in ["Basic", "Basic !", "Basic \(Data("x".utf8).base64EncodedString())"] {
                #expect(try await caller.send(.post, "/refresh", headers: [.authorization: bad]).status == 422)
            }
        }
    }

    @Test func `Basic credentials are read when the password begins with a combining mark`() async throws {
        try await withRefresh(#"{ "path": "/refresh", "basic": ["$refresh_token", "\u0301x"] }"#) {
            caller,
            token async throws in
            let proof = Data("\(token):\u{301}x".utf8).base64EncodedString()
            #expect(try await caller.send(.post, "/refresh", headers: [.authorization: "Basic \(proof)"]).status == 200)
        }
    }

    @Test func `calls at one path are distinguished by their constant fields`() async throws {
        let text = ContractFixture.wharf
            .replacing(
                #"{ "path": "/login", "json": { "email": "$email", "password": "$password" } }"#,
                with:
                    #"{ "path": "/token", "form": { "grant_type": "password", "username": "$username", "password": "$password" } }"#
            )
            .replacing(
                #"{ "path": "/refresh", "json": { "refresh_token": "$refresh_token" } }"#,
                with:
                    #"{ "path": "/token", "form": { "grant_type": "refresh_token", "refresh_token": "$refresh_token" } }"#
            )
        try await server.run(server.configuration(try ServedContract(text: text))) { caller async throws in
            _ = try await caller.signUp()
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let login = "grant_type=password&username=ann%40example.com&password=correct+horse"
            let grant = caller.parse(try await caller.send(.post, "/token", login, headers: form))
            let token = try #require(grant["/refresh_token"])
            let refresh = "refresh_token=\(token)&grant_type=refresh_token"
            #expect(try await caller.send(.post, "/token", refresh, headers: form).status == 200)
            let neither = caller.parse(try await caller.send(.post, "/token", "grant_type=x", headers: form))
            #expect(neither.status == 422)
            // A refused password is no end of a session.
            let wrong = login.replacing("horse", with: "cow")
            #expect(caller.parse(try await caller.send(.post, "/token", wrong, headers: form))["/fault"] == "refused")
            let dead = "grant_type=refresh_token&refresh_token=frt_x"
            #expect(caller.parse(try await caller.send(.post, "/token", dead, headers: form))["/fault"] == "over")
        }
    }

    @Test func `calls at one path are distinguished by a header or a JSON value`() async throws {
        let text = ContractFixture.wharf
            .replacing(
                #"{ "path": "/login", "json": { "email": "$email", "password": "$password" } }"#,
                with: """
                    { "path": "/", "headers": { "X-Target": "Pool.Auth" },
                      "json": { "flow": "PASSWORD", "with": { "email": "$email", "password": "$password" } } }
                    """
            )
            .replacing(
                #"{ "path": "/refresh", "json": { "refresh_token": "$refresh_token" } }"#,
                with: """
                    { "path": "/", "headers": { "X-Target": "Pool.Auth" },
                      "json": { "flow": "REFRESH", "with": { "token": "$refresh_token" } } }
                    """
            )
            .replacing(
                #"{ "path": "/logout", "json": { "refresh_token": "$refresh_token" } }"#,
                with: """
                    { "path": "/", "headers": { "X-Target": "Pool.Revoke" },
                      "json": { "with": { "token": "$refresh_token" } } }
                    """
            )
        try await server.run(server.configuration(try ServedContract(text: text))) { caller async throws in
            let target = try #require(HTTPField.Name("X-Target"))
            func call(_ name: String, _ body: String) async throws -> TestHTTPClient.Reply {
                let headers: HTTPFields = [.contentType: "application/json", target: name]
                return caller.parse(try await caller.send(.post, "/", body, headers: headers))
            }
            _ = try await caller.signUp()
            let account = #"{"email":"ann@example.com","password":"correct horse"}"#
            let grant = try await call("Pool.Auth", #"{"with":\#(account),"flow":"PASSWORD"}"#)
            let token = try #require(grant["/refresh_token"])
            let refresh = #"{"flow":"REFRESH","with":{"token":"\#(token)"}}"#
            #expect(try await call("Pool.Auth", refresh)["/refresh_token"] != nil)
            #expect(try await call("Pool.Other", refresh).status == 422)
            #expect(try await call("Pool.Auth", #"{"flow":"OTHER","with":\#(account)}"#).status == 422)
            #expect(try await call("Pool.Revoke", refresh).status == 204)
            #expect(try await call("Pool.Auth", refresh)["/fault"] == "over")
        }
    }
}
