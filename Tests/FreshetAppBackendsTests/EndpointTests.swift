// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `Endpoints of a double` {
    static let paths: [(AppBackend.App, String, BackendEndpoint)] = [
        (.authservice, "/auth/login", .login), (.authservice, "/auth/refresh", .refresh),
        (.authservice, "/dashboard", .api), (.bitbasel, "/auth/apple", .login), (.bitbasel, "/auth/refresh", .refresh),
        (.bitbasel, "/ws/feed", .socket), (.bitbasel, "/posts/feed", .api), (.melchat, "/api/auth/login", .code),
        (.melchat, "/api/auth/verify", .login), (.melchat, "/api/auth/refresh", .refresh),
        (.melchat, "/api/auth/logout", .logout), (.melchat, "/api/auth/logout-all", .logout),
        (.creatist, "/auth/refresh", .refresh), (.outbox, "/api/v1/auth/refresh", .refresh),
        (.outbox, "/api/v1/messages", .api),
    ]

    @Test(arguments: paths)
    func `a fault at an endpoint applies to the paths that serve the endpoint`(
        app: AppBackend.App,
        path: String,
        endpoint: BackendEndpoint
    ) throws {
        let caller = TestHTTPClient(app)
        caller.backend.fail(.status(599), at: endpoint)
        #expect(try caller.post("/somewhere", [:]).status == (endpoint == .api ? 599 : 404))
        caller.backend.clearFaults()
        caller.backend.fail(.status(598), at: endpoint)
        #expect(try caller.post(path, [:]).status == 598)
        #expect(caller.backend.exchanges.last?.endpoint == endpoint)
        #expect(caller.backend.script.isEmpty)
    }

    @Test func `each fake backend has the refresh path of its app`() {
        #expect(
            AppBackend.App.allCases.map { AppBackend($0).refreshPath } == [
                "/auth/refresh", "/auth/refresh", "/api/auth/refresh", "/auth/refresh", "/api/v1/auth/refresh",
            ]
        )
    }

    @Test func `a request is recorded with the numbers of its tokens and the response's status`() throws {
        let caller = TestHTTPClient(.creatist)
        let (first, second) = (caller.backend.signIn(), caller.backend.signIn())
        _ = try caller.get("/items", bearer: second.accessToken)
        _ = try caller.post("/auth/refresh", ["refresh_token": #require(first.refreshToken)], bearer: first.accessToken)
        _ = try caller.get("/items", bearer: "of somebody else")
        _ = try caller.get("/items")
        caller.backend.fail(.replyLost, at: .api)
        #expect(throws: TestHTTPClient.ConnectionClosed.self) { try caller.get("/items") }
        caller.backend.revokeAccessTokens()
        _ = try caller.get("/items", bearer: first.accessToken)

        let exchanges = caller.backend.exchanges
        #expect(exchanges.map(\.status) == [200, 200, 401, 401, nil, 401])
        #expect(exchanges[0].tokens == ["access-2"])
        #expect(Set(exchanges[1].tokens) == ["access-1", "refresh-1"])
        #expect(exchanges[2].tokens == ["unknown"] && exchanges[3].tokens.isEmpty)
        #expect(exchanges[5].tokens == ["access-1"], "a token that was revoked keeps its number")
    }

    @Test func `an endpoint is parsed from its description, and an unknown text is refused`() {
        let endpoints: [BackendEndpoint] = [
            .code, .login, .refresh, .logout, .socket, .api, .elsewhere, "/posts/*",
        ]
        for endpoint in endpoints { #expect(BackendEndpoint(text: "\(endpoint)") == endpoint) }
        #expect(BackendEndpoint(text: "Refresh") == nil && BackendEndpoint(text: "") == nil)
    }
}
