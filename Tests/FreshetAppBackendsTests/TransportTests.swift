// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetKit
import FreshetTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `A double in process` {
    let backend = AppBackend(.creatist, clock: TestClock())

    private func request(_ path: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "https://api.example.com:8443\(path)")))
    }

    @Test func `a fake backend responds to a URLRequest in process and records its host and query`() async throws {
        var request = try request("/items?page=2")
        request.setValue("Bearer \(backend.signIn().accessToken)", forHTTPHeaderField: "authorization")
        let (body, response) = try await backend.data(for: request)
        #expect(response.statusCode == 200 && response.value(forHTTPHeaderField: "Date") != nil)
        #expect(String(decoding: body, as: UTF8.self).contains("items"))
        let seen = try #require(backend.exchanges.first).request
        #expect(seen.host == "api.example.com:8443" && seen.query == [URLQueryItem(name: "page", value: "2")])
    }

    @Test func `a lost response is reported as a lost connection`() async throws {
        backend.fail(.replyLost)
        var request = try request("/auth/refresh")
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"refresh_token":"\#(backend.signIn().refreshToken ?? "")"}"#.utf8)
        let error = await #expect(throws: URLError.self) { try await backend.exchange(request, deadline: .seconds(1)) }
        #expect(error?.code == .networkConnectionLost)
        #expect(backend.counts.grantedRefreshes == 1)
    }

    @Test func `a manual transport can pass a request to a fake backend`() async throws {
        let transport = ManualTransport()
        let request = try request("/items")
        async let answer = transport.data(for: request)
        try await transport.next().answer(from: backend)
        #expect(try await answer.1.statusCode == 401)
        async let lost = transport.data(for: request)
        backend.fail(.requestLost, at: "/items")
        try await transport.next().answer(from: backend)
        do {
            _ = try await lost
            Issue.record("a request that was lost was answered")
        } catch { #expect((error as? URLError)?.code == .networkConnectionLost) }
    }

    @Test func `a held response waits for its release, after its request has been processed`() async throws {
        backend.fail(.held, at: "/items")
        let request = try request("/items")
        async let answer = backend.data(for: request)
        var arrivals = backend.heldRequests.makeAsyncIterator()
        let held = try #require(await arrivals.next())
        #expect(held.request.path == "/items" && held.status == 401)
        #expect(backend.counts.refusals == 1)
        backend.release()
        #expect(try await answer.1.statusCode == 401)
        #expect(try await backend.data(for: request).1.statusCode == 401, "the next one is not held")
    }

    @Test func `a request that waits for a held response can be cancelled`() async throws {
        backend.fail(.held, times: nil)
        let request = try request("/auth/refresh")
        let waiting = Task { try await backend.exchange(request, deadline: .seconds(1)) }
        var arrivals = backend.heldRequests.makeAsyncIterator()
        _ = await arrivals.next()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        backend.release()
    }

    @Test func `a request that a test holds itself is not held twice`() async throws {
        let transport = ManualTransport()
        backend.fail(.held, at: "/items")
        let request = try request("/items")
        async let answer = transport.data(for: request)
        try await transport.next().answer(from: backend)
        #expect(try await answer.1.statusCode == 401)
    }

    @Test func `each of many concurrent requests is counted once`() async {
        let access = backend.signIn().accessToken
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    var request = BackendRequest("GET", "/items")
                    request.bearer = access
                    _ = backend.respond(to: request)
                }
            }
        }
        #expect(backend.counts.requests == 100 && backend.counts.refusals == 0)
    }

    @Test func `a fake backend retains a limited number of recent requests`() {
        for number in 0...3000 { _ = backend.respond(to: BackendRequest("GET", "/\(number)")) }
        #expect(backend.exchanges.count < 3000 && backend.exchanges.last?.request.path == "/3000")
        #expect(backend.exchanges.count >= AppBackend.retainedExchanges)
    }

    @Test func `header names are case-insensitive`() {
        var headers: BackendHeaders = ["content-type": "text/plain"]
        #expect(headers["Content-Type"] == "text/plain")
        headers["CONTENT-TYPE"] = "text/html"
        #expect(headers.fields == ["CONTENT-TYPE": "text/html"] && headers == ["Content-type": "text/html"])
        headers["content-Type"] = nil
        #expect(headers.fields.isEmpty)
    }

    @Test func `the backend of an app reads a streamed body`() async throws {
        let login = Data(#"{"email": "ann@example.com", "password": "secret"}"#.utf8)
        let url = try #require(URL(string: "https://api.example.com/auth/login"))
        func request() -> URLRequest {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBodyStream = InputStream(data: login)
            return request
        }
        #expect(try await backend.data(for: request()).1.statusCode == 200)
        #expect(backend.exchanges.last?.request.body == login)
        #expect(try await backend.exchange(request(), deadline: .seconds(1)).1.statusCode == 200)
        #expect(backend.counts.logins == 2)
    }
}
