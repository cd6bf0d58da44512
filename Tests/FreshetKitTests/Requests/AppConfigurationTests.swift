// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `URLSessionTransport` with a configuration and a delegate of the app.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A URLSession configuration of the app` {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    /// Sends a request each way: buffered, streamed and as a refresh.
    private func sendEachWay(_ transport: URLSessionTransport, _ request: URLRequest) async throws {
        _ = try await transport.data(for: request)
        for try await _ in try await transport.send(request, body: .inRequest).0 {}
        _ = try await transport.exchange(request, deadline: .seconds(30))
    }

    @Test func `a stub protocol class handles requests and refreshes of a session`() async throws {
        let base = try StubProtocol.register { request in
            switch (request.url?.path, request.value(forHTTPHeaderField: "Authorization")) {
            case ("/v1/refresh", _):
                (200, #"{"access_token":"new","refresh_token":"\#(Fixtures.refreshToken(1))","expires_in":600}"#)
            case (_, "Bearer new"): (200, #"{"name":"Ann"}"#)
            default: (401, #"{"error":"token_expired"}"#)
            }
        }
        let session = try AuthSession(
            baseURL: base,
            store: InMemoryStore(),
            transport: URLSessionTransport(configuration: StubProtocol.configuration)
        )
        let tokens = TokenGrant(accessToken: "old", refreshToken: Fixtures.refreshToken(0), expiresIn: .seconds(600))
        try await session.signIn(.tokens(tokens))
        let (data, response) = try await session.data(for: URLRequest(url: base.appending(path: "v1/me")))
        #expect(response.statusCode == 200 && data == Data(#"{"name":"Ann"}"#.utf8))
    }

    @Test func `cookies of the app's configuration are neither sent nor stored`() async throws {
        let server = try LoopbackServer { _ in
            .answer("HTTP/1.1 200 OK\r\nSet-Cookie: theirs=1\r\nContent-Length: 2\r\n\r\n{}")
        }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.httpCookieStorage)
        let ours = try #require(
            HTTPCookie(properties: [.name: "ours", .value: "1", .domain: "127.0.0.1", .path: "/"])
        )
        storage.setCookie(ours)
        configuration.httpAdditionalHeaders = ["cookie": "default=1"]
        let url = try server.base.appending(path: "x")
        try await sendEachWay(URLSessionTransport(configuration: configuration), URLRequest(url: url))
        var requests = server.requests.makeAsyncIterator()
        for _ in 0..<3 {
            let seen = try #require(await requests.next())
            #expect(!seen.lowercased().contains("cookie"))
        }
        #expect(storage.cookies?.map(\.name) == ["ours"])
    }

    @Test func `the cache of the app's configuration is neither read nor written`() async throws {
        let server = try LoopbackServer { _ in
            .answer("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 2\r\n\r\n{}")
        }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .returnCacheDataElseLoad
        let cache = try #require(configuration.urlCache)
        let url = try server.base.appending(path: "x")
        let fields = ["Cache-Control": "max-age=600"]
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        let stored = Data("stored".utf8)
        cache.storeCachedResponse(CachedURLResponse(response: response, data: stored), for: URLRequest(url: url))
        try await sendEachWay(URLSessionTransport(configuration: configuration), URLRequest(url: url))
        #expect(server.count == 3)
        #expect(cache.cachedResponse(for: URLRequest(url: url))?.data == stored)
    }

    @Test func `additional headers of the app's configuration are sent, except the Authorization header`() async throws
    {
        let server = try LoopbackServer { _ in .answer(Self.good) }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-App": "7", "authorization": "Bearer default"]
        let url = try server.base.appending(path: "x")
        try await sendEachWay(URLSessionTransport(configuration: configuration), URLRequest(url: url))
        var requests = server.requests.makeAsyncIterator()
        for _ in 0..<3 {
            let seen = try #require(await requests.next()).lowercased()
            #expect(seen.contains("x-app: 7") && !seen.contains("authorization"))
        }
    }

    @Test func `later changes of the app's configuration have no effect, and the SDK does not modify it`() async throws
    {
        let server = try LoopbackServer { _ in .answer(Self.good) }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.default
        let transport = try URLSessionTransport(configuration: configuration)
        configuration.httpAdditionalHeaders = ["X-Late": "1"]
        try await sendEachWay(transport, URLRequest(url: server.base.appending(path: "x")))
        var requests = server.requests.makeAsyncIterator()
        for _ in 0..<3 { #expect(try #require(await requests.next()).contains("X-Late") == false) }
        #expect(configuration.httpShouldSetCookies && configuration.urlCache != nil)
        #expect(configuration.timeoutIntervalForRequest == 60)
    }

    @Test func `a refresh has its own timeouts`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 600
        let exchange = configuration.withoutStoredState.forExchange(deadline: .seconds(20))
        #expect(exchange.timeoutIntervalForRequest == 20 && exchange.timeoutIntervalForResource == 20)
        configuration.timeoutIntervalForResource = 30
        #expect(configuration.withoutStoredState.forWebSocket.timeoutIntervalForResource == 604_800)
        #if canImport(Darwin)
            configuration.waitsForConnectivity = true
            #expect(!configuration.withoutStoredState.forExchange(deadline: .seconds(20)).waitsForConnectivity)
            #expect(!configuration.withoutStoredState.forWebSocket.waitsForConnectivity)
            #expect(configuration.withoutStoredState.waitsForConnectivity)
        #endif
    }

    @Test func `a configuration of a background session is refused`() {
        #if canImport(Darwin)
            let configuration = URLSessionConfiguration.background(withIdentifier: "uploads")
        #else
            let configuration = URLSessionConfiguration.default
            configuration.identifier = "uploads"
        #endif
        #expect(throws: URLSessionTransport.ConfigurationError.background) {
            try URLSessionTransport(configuration: configuration)
        }
        #expect(throws: URLSessionTransport.ConfigurationError.background) {
            try URLSessionWebSocketTransport(configuration: configuration)
        }
    }

    #if os(Linux)
        @Test func `a proxy that the environment names is used for requests and refreshes`() async {
            // The variables are those of the whole process.
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackServer { _ in .answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") }
                setenv("http_proxy", try proxy.base.absoluteString, 1)
                unsetenv("no_proxy")
                let configuration = URLSessionConfiguration.default
                // Foundation ignores it here: this address is not called.
                configuration.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": 1]
                let transport = try URLSessionTransport(configuration: configuration)
                let request = URLRequest(url: try Fixtures.url("http://backend.test/v1/me"))
                _ = try await transport.data(for: request)
                _ = try await transport.exchange(request, deadline: .seconds(30))
                var requests = proxy.requests.makeAsyncIterator()
                for _ in 0..<2 {
                    #expect(await requests.next()?.hasPrefix("GET http://backend.test/v1/me HTTP/1.1\r\n") == true)
                }
            }
        }
    #else
        @Test func `a proxy of the app's configuration is used for requests and refreshes`() async throws {
            let proxy = try LoopbackServer { _ in .answer(Self.good) }
            defer { proxy.stop() }
            let configuration = URLSessionConfiguration.default
            configuration.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(proxy.port),
            ]
            let request = URLRequest(url: try Fixtures.url("http://backend.test/v1/me"))
            try await sendEachWay(URLSessionTransport(configuration: configuration), request)
            var requests = proxy.requests.makeAsyncIterator()
            for _ in 0..<3 {
                #expect(await requests.next()?.hasPrefix("GET http://backend.test/v1/me HTTP/1.1\r\n") == true)
            }
        }
    #endif
}
