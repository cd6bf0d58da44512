// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `The native test backend` {
    let clock = TestClock()
    let backend: TestBackend

    init() { backend = TestBackend(clock: clock) }

    private func session() async throws -> AuthSession {
        let session = try AuthSession(
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: InMemoryStore(),
            transport: backend,
            clock: clock
        )
        try await session.signIn(.password(email: "ann@example.com", password: "secret"))
        return session
    }

    private func request(_ path: String, bearer: String? = nil, host: String = "api.example.com") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://\(host)\(path)")))
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        return request
    }

    /// Each fault of a refresh, and whether the backend processes the refresh.
    static let faults: [(BackendFault, acts: Bool)] = [
        (.requestLost, false), (.replyLost, true), (.status(500), false), (.status(503, acts: true), true),
        (.status(429, retryAfter: 7), false), (.html(status: 502), false), (.redirect(), false),
        (.answer(status: 503, headers: [:], body: ""), false),
    ]

    @Test(arguments: faults)
    func `a refresh with a fault is repeated, and its caller gets a token`(fault: BackendFault, acts: Bool) async throws
    {
        let session = try await session()
        clock.advance(by: .seconds(600))
        backend.fail(fault)
        _ = try await clock.skipPauses { try await session.accessToken() }
        #expect(backend.counts.refreshes == 2 && backend.script.isEmpty && session.state == .active)
        // A refresh that the backend processed has issued an access token, although it did not arrive.
        #expect(try await session.accessToken().value == (acts ? "access-3" : "access-2"))
    }

    @Test(arguments: [(BackendFault.garbage, false), (.truncated, true), (.empty, true)])
    func `a response that cannot be read is reported, and the next refresh succeeds`(
        fault: BackendFault,
        acts: Bool
    ) async throws {
        let session = try await session()
        clock.advance(by: .seconds(600))
        backend.fail(fault)
        await #expect(throws: SessionError.self) { try await session.accessToken() }
        #expect(session.state == .offline && backend.counts.refreshes == 1)
        clock.advance(by: .seconds(1))
        #expect(try await session.accessToken().value == (acts ? "access-3" : "access-2"))
    }

    @Test func `a mislabelled response is read, and a held one waits for its release`() async throws {
        let session = try await session()
        clock.advance(by: .seconds(600))
        backend.fail(.mislabelled())
        #expect(try await session.accessToken().value == "access-2")
        clock.advance(by: .seconds(600))
        backend.fail(.held)
        async let token = session.accessToken()
        let held = try #require(await backend.heldRequests.first { _ in true })
        #expect(held.request.path == "/v1/refresh" && held.status == 200)
        #expect(session.state == .refreshing)
        backend.release()
        #expect(try await token.value == "access-3")
    }

    @Test func `a clock that runs does not wait for a held response`() async throws {
        let session = try await session()
        session.enterForeground()
        backend.fail(.held)
        await clock.run(for: .seconds(545))
        #expect(backend.counts.refreshes == 1 && backend.exchanges.last?.endpoint == .refresh)
        #expect(try await session.accessToken().value == "access-1")
        backend.release()
        await clock.run(for: .seconds(60))
        #expect(try await session.accessToken().value == "access-2")
        #expect(session.state == .active && backend.counts.refreshes == 1)
    }

    @Test func `faults apply to their own endpoint, in order, a number of times`() async throws {
        let token = try await session().accessToken().value
        func statuses(_ path: String, _ count: Int) async throws -> [Int] {
            var statuses: [Int] = []
            for _ in 0..<count {
                statuses.append(try await backend.data(for: request(path, bearer: token)).1.statusCode)
            }
            return statuses
        }
        backend.fail(.status(502), .status(503), at: "/items", times: 2)
        #expect(try await statuses("/notes", 1) == [200])
        #expect(try await statuses("/items", 5) == [502, 502, 503, 503, 200])
        backend.fail(.status(401), at: .api, times: nil)
        #expect(try await statuses("/items", 2) == [401, 401])
        #expect(backend.counts.refusals == 2)
        backend.clearFaults()
        #expect(try await statuses("/items", 1) == [200])
    }

    @Test(arguments: [
        ("/v1/login/code", BackendEndpoint.code), ("/v1/login/password", .login), ("/v1/signup", .login),
        ("/v1/login/code/verify", .login), ("/v1/login/apple", .login), ("/v1/refresh", .refresh),
        ("/v1/logout", .logout), ("/v1/logout-all", .logout), ("/v1/socket", .socket), ("/v1/sessions", .api),
        ("/v1/confirm", "/v1/confirm"), ("/v1/report", "/v1/report"), ("/items", .api),
    ])
    func `a fault matches an endpoint of the native contract by its purpose`(
        path: String,
        endpoint: BackendEndpoint
    ) async throws {
        backend.fail(.status(599), at: endpoint)
        #expect(try await backend.data(for: request("/elsewhere")).1.statusCode == (endpoint == .api ? 599 : 401))
        backend.clearFaults()
        backend.fail(.status(598), at: endpoint)
        #expect(try await backend.data(for: request(path)).1.statusCode == 598)
        #expect(backend.exchanges.last?.endpoint == endpoint)
    }

    @Test func `a route responds to requests for its path only with a valid access token`() async throws {
        backend.on("/items") { [backend] request, userID in
            BackendResponse(201, json: #"["\#(request.method)", "\#(userID)", \#(backend.counts.requests)]"#)
        }
        let token = try await session().accessToken().value
        let (body, response) = try await backend.data(for: request("/items?page=2", bearer: token))
        #expect(
            response.statusCode == 201 && String(decoding: body, as: UTF8.self) == #"["GET", "u-ann@example.com", 1]"#
        )
        #expect(try await backend.data(for: request("/items")).1.statusCode == 401)
        backend.revokeAccessTokens()
        #expect(try await backend.data(for: request("/items", bearer: token)).1.statusCode == 401)
        backend.fail(.truncated, at: "/items")
        #expect(backend.counts.requests == 3 && backend.counts.refusals == 2 && backend.counts.logins == 1)
    }

    @Test func `requests are recorded with the names of their tokens, and lost ones are not`() async throws {
        let session = try await session()
        _ = try await session.data(for: request("/items"))
        clock.advance(by: .seconds(600))
        try await session.refresh()
        _ = try await backend.data(for: request("/items", bearer: "of-another-backend"))
        backend.fail(.requestLost, at: .api)
        await #expect(throws: URLError.self) { try await backend.data(for: request("/items")) }
        let exchanges = backend.exchanges.filter { $0.endpoint == .api || $0.endpoint == .refresh }
        #expect(exchanges.map(\.tokens) == [["access-1"], ["refresh-1"], ["unknown"]])
        #expect(exchanges.map(\.status) == [200, 200, 401])
        #expect(backend.counts.requests == 3)
    }

    @Test func `requests to the other origin are counted separately, with and without a token`() async throws {
        let token = try await session().accessToken().value
        backend.fail(.redirect(), at: "/items")
        let response = try await backend.data(for: request("/items?page=2", bearer: token)).1
        let location = try #require(response.value(forHTTPHeaderField: "Location"))
        #expect(response.statusCode == 307 && location == "\(TestBackend.otherOrigin)/items?page=2")
        #expect(try await backend.data(for: request("/items", host: "elsewhere.example")).1.statusCode == 200)
        #expect(backend.counts.strays == 1 && backend.counts.straysWithToken == 0)
        _ = try await backend.data(for: request("/items", bearer: token, host: "elsewhere.example"))
        #expect(backend.counts.strays == 2 && backend.counts.straysWithToken == 1)
    }

    @Test func `the Date header is the backend's clock, not the wall clock of the device`() async throws {
        func date() async throws -> String? {
            try await backend.data(for: request("/items")).1.value(forHTTPHeaderField: "Date")
        }
        clock.moveWallClock(by: 86_400)
        #expect(try await date() == "Fri, 15 Jan 2027 08:00:00 GMT")
        clock.advance(by: .seconds(60))
        backend.clockSkew = .seconds(-3600)
        #expect(try await date() == "Fri, 15 Jan 2027 07:01:00 GMT")
        backend.fail(.html(), at: .api)
        #expect(try await date() == nil, "an intermediary does not send the backend's date")
    }

    @Test func `a test backend does not hold a request that a manual transport has already held`() async throws {
        let transport = ManualTransport()
        backend.fail(.held, at: "/items")
        let request = try request("/items")
        async let response = transport.data(for: request)
        try await transport.next().answer(from: backend)
        #expect(try await response.1.statusCode == 401)
    }
}
