// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `URLSession` over real sockets, with the traps of its Linux version.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `URLSession transport` {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    let transport = URLSessionTransport()

    private func request(_ server: LoopbackServer, _ path: String, body: String? = nil) throws -> URLRequest {
        var request = URLRequest(url: try server.base.appending(path: path))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
        }
        return request
    }

    @Test func `an exchange whose connection closes without a response fails immediately and is sent once`()
        async throws
    {
        let server = try LoopbackServer { $0.contains("/v1/refresh") ? .close : .answer(Self.good) }
        defer { server.stop() }
        // A warm connection to the same server must not be used: there, Linux sends again or hangs.
        for _ in 0..<3 { _ = try await transport.data(for: request(server, "/warm")) }
        for attempt in 1...5 {
            let failure = await #expect(throws: URLError.self) {
                try await transport.exchange(request(server, "/v1/refresh", body: "{}"), deadline: .seconds(10))
            }
            #expect(failure?.code != .timedOut)
            #expect(server.count == 3 + attempt)
        }
    }

    @Test(arguments: [false, true])
    func `a request that is cancelled while its response arrives still finishes`(isExchange: Bool) async throws {
        let server = try LoopbackServer { _ in .answer(Self.good) }
        defer { server.stop() }
        var requests = server.requests.makeAsyncIterator()
        for number in 0..<300 {
            let request = try request(server, "/\(number)")
            let call = Task {
                isExchange
                    ? try await transport.exchange(request, deadline: .seconds(60))
                    : try await transport.data(for: request)
            }
            _ = await requests.next()
            // The server answers now; a little later or earlier each time.
            for _ in 0..<number % 20 { await Task.yield() }
            call.cancel()
            _ = await call.result
        }
    }

    @Test func `an exchange sends its whole body and asks the server to close the connection`() async throws {
        let server = try LoopbackServer { _ in .answer(Self.good) }
        defer { server.stop() }
        let (data, response) = try await transport.exchange(
            request(server, "/v1/refresh", body: #"{"a":1}"#),
            deadline: .seconds(10)
        )
        #expect(response.statusCode == 200 && data == Data("{}".utf8))
        var requests = server.requests.makeAsyncIterator()
        let seen = try #require(await requests.next()).lowercased()
        #expect(seen.contains("connection: close") && seen.hasSuffix(#"{"a":1}"#))
    }

    @Test func `the URLSession transport does not follow redirects`() async throws {
        let server = try LoopbackServer { request in
            request.contains("/start")
                ? .answer("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n") : .answer(Self.good)
        }
        defer { server.stop() }
        #expect(try await transport.data(for: request(server, "/start")).1.statusCode == 302)
        let answer = try await transport.exchange(request(server, "/start", body: "{}"), deadline: .seconds(10))
        #expect(answer.1.statusCode == 302)
        #expect(server.count == 2)
    }

    @Test func `a session over real sockets does not send its access token to another origin on a redirect`()
        async throws
    {
        let other = try LoopbackServer { _ in .answer(Self.good) }
        let port = other.port
        let server = try LoopbackServer { _ in
            .answer("HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:\(port)/end\r\nContent-Length: 0\r\n\r\n")
        }
        defer {
            server.stop()
            other.stop()
        }
        let session = try AuthSession(baseURL: server.base, store: InMemoryStore())
        let tokens = TokenGrant(accessToken: "secret", refreshToken: Fixtures.refreshToken(0), expiresIn: .seconds(60))
        try await session.signIn(.tokens(tokens))
        #expect(try await session.data(for: request(server, "/start")).1.statusCode == 200)
        var requests = (server.requests.makeAsyncIterator(), other.requests.makeAsyncIterator())
        #expect(await requests.0.next()?.contains("secret") == true)
        #expect(await requests.1.next()?.contains("secret") == false)
    }

    /// `URLSession` that would wait for a minute: the deadline is our own.
    private struct PatientTransport: HTTPTransport {
        let base = URLSessionTransport()
        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { try await base.data(for: request) }
        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            try await base.exchange(request, deadline: .seconds(60))
        }
    }

    @Test func `a refresh without a response ends at the client's own deadline and is sent once`() async throws {
        let server = try LoopbackServer { _ in .hang }
        defer { server.stop() }
        let endpoint = TokenEndpoint(
            contract: .freshet,
            baseURL: try server.base,
            values: TemplateValues(),
            transport: PatientTransport(),
            clock: .system,
            attemptTimeout: .milliseconds(300)
        )
        let pair = try #require(RefreshCredentials(Fixtures.stored(1, intent: "bound")))
        let start = ContinuousClock.now
        #expect(await endpoint.refresh(pair).answer == .other(.transient(retryAfter: nil)))
        let taken = ContinuousClock.now - start
        #expect(taken >= .milliseconds(300) && taken < .seconds(10))
        #expect(server.count == 1)
    }

    @Test func `a repeated refresh sends the same body as the first attempt, and the session stays signed in`()
        async throws
    {
        let server = try LoopbackServer { $0.contains("/v1/refresh") ? .close : .answer(Self.good) }
        defer { server.stop() }
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.backoff = RetryBackoff(first: .milliseconds(1), limit: .milliseconds(1))
        let session = try AuthSession(baseURL: server.base, store: InMemoryStore(), configuration: configuration)
        let tokens = TokenGrant(accessToken: "a", refreshToken: Fixtures.refreshToken(0), expiresIn: .seconds(60))
        try await session.signIn(.tokens(tokens))
        #expect(try await session.data(for: request(server, "/warm")).1.statusCode == 200)
        async let refreshed = failure { try await session.refresh() }
        var bodies: Set<String> = []
        var requests = server.requests.makeAsyncIterator()
        _ = await requests.next()
        for _ in 0..<2 {
            let seen = try #require(await requests.next())
            bodies.insert(String(seen[(try #require(seen.range(of: "\r\n\r\n"))).upperBound...]))
        }
        #expect(bodies.count == 1, "never a truncated repeat")
        #expect(session.state.isSignedIn)
        // Otherwise it would be retried until the caller's timeout.
        try await session.signOut()
        #expect(await refreshed != nil)
    }
}
