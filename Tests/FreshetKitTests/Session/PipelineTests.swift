// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `Request pipeline` {
    let bench = SessionFixture()
    let transport = ManualTransport()
    let session: AuthSession

    init() async throws {
        let store = InMemoryStore()
        try await bench.session(store: store).signIn(.test)
        session = try bench.session(store: store, transport: transport)
    }

    private func request(_ text: String) throws -> URLRequest { URLRequest(url: try Fixtures.url(text)) }

    @Test func `a request to another origin is sent without the access token`() async throws {
        for text in ["https://other.example/x", "http://api.example.com/x", "https://api.example.com:8443/x"] {
            let request = try request(text)
            async let answer = session.data(for: request)
            let pending = try await transport.next()
            #expect(pending.bearer == nil)
            pending.answer(401)
            #expect(try await answer.1.statusCode == 401, "and its refusal concerns nobody here")
        }
    }

    @Test func `a request to a configured additional host carries the access token`() async throws {
        var bench = bench
        bench.configuration.additionalHosts = ["cdn.example.com"]
        let session = try bench.session(transport: transport)
        let tokens = TokenGrant(accessToken: "own", refreshToken: Fixtures.refreshToken(0), expiresIn: .seconds(60))
        try await session.signIn(.tokens(tokens))
        let request = try request("https://cdn.example.com/x")
        async let answer = session.data(for: request)
        let pending = try await transport.next()
        #expect(pending.bearer == "own")
        pending.answer(200)
        _ = try await answer
    }

    @Test func `a request that is redirected to another origin is sent there without the access token`() async throws {
        let request = try bench.request()
        async let answer = session.data(for: request)
        let first = try await transport.next()
        #expect(first.bearer == "access-1")
        first.answer(302, headers: ["Location": "https://evil.example/steal"])
        let second = try await transport.next()
        #expect(second.request.url?.host == "evil.example" && second.bearer == nil)
        second.answer(200)
        #expect(try await answer.1.statusCode == 200)
    }

    @Test func `a 401 response of another origin after a redirect causes no refresh`() async throws {
        let request = try bench.request()
        async let answer = session.data(for: request)
        try await transport.next().answer(307, headers: ["Location": "https://other.example/x"])
        try await transport.next().answer(401)
        #expect(try await answer.1.statusCode == 401)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `a redirect loop ends at the limit and returns the redirect response`() async throws {
        let request = try bench.request()
        async let answer = session.data(for: request)
        for _ in 0...Redirect.limit {
            try await transport.next().answer(302, headers: ["Location": "/things"])
        }
        #expect(try await answer.1.statusCode == 302)
    }

    @Test func `a refresh does not follow redirects, and a redirect does not end the session`() async throws {
        bench.clock.advance(by: .seconds(601))
        async let token = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").answer(307, headers: ["Location": "https://evil.example/"])
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .seconds(1))
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(await token == nil)
        let all = transport.unclaimed.map(\.path)
        #expect(all.allSatisfy { $0 == "/v1/confirm" })
    }

    @Test func `a request body is replayed unchanged after a refresh`() async throws {
        var request = try bench.request()
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: 7, count: 65_536)
        let sent = request
        async let answer = session.data(for: sent)
        try await transport.next(to: "/things").answer(401)
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        let replay = try await transport.next(to: "/things")
        #expect(replay.request.httpBody == request.httpBody && replay.request.httpMethod == "POST")
        #expect(replay.bearer == "access-2")
        replay.answer(201)
        #expect(try await answer.1.statusCode == 201)
    }

    @Test func `a request with a streamed body is not replayed, and its 401 response is returned`()
        async throws
    {
        var request = try bench.request()
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("stream".utf8))
        let sent = request
        async let answer = session.data(for: sent)
        try await transport.next(to: "/things").answer(401)
        #expect(try await answer.1.statusCode == 401)
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        _ = try await transport.next(to: "/v1/confirm")
        #expect(try await session.accessToken().value == "access-2")
        #expect(transport.unclaimed.isEmpty)
    }

    @Test(arguments: [200, 204, 400, 403, 404, 409, 418, 429, 500, 503])
    func `a response with a status other than 401 is returned to the caller and causes no refresh`(status: Int)
        async throws
    {
        let request = try bench.request()
        async let answer = session.data(for: request)
        try await transport.next().answer(status)
        #expect(try await answer.1.statusCode == status)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `a second 401 response after a refresh is returned to the caller`() async throws {
        let request = try bench.request()
        async let answer = session.data(for: request)
        try await transport.next(to: "/things").answer(401)
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await transport.next(to: "/things").answer(401, body: "again")
        let (data, response) = try await answer
        #expect(response.statusCode == 401 && data == Data("again".utf8))
    }

    @Test func `the transport's own error reaches the caller`() async throws {
        let request = try bench.request()
        async let answer = session.data(for: request)
        try await transport.next().fail(URLError(.cannotFindHost))
        do {
            _ = try await answer
            Issue.record("an error is expected")
        } catch { #expect(error is URLError) }
    }

    @Test func `a request while the user is signed out fails without being sent`() async throws {
        let session = try bench.session(transport: transport)
        let request = try bench.request()
        await #expect(throws: SessionError.signedOut(nil)) { try await session.data(for: request) }
        #expect(transport.unclaimed.isEmpty)
    }
}
