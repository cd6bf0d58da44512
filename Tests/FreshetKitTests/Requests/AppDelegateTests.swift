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

/// The events that `URLSessionTransport` passes to a delegate of the app.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A URLSession delegate of the app` {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    private static let serverTrust = "NSURLAuthenticationMethodServerTrust"

    private func space(_ method: String) -> URLProtectionSpace {
        URLProtectionSpace(host: "stub.test", port: 443, protocol: "https", realm: nil, authenticationMethod: method)
    }

    private enum Outcome: Equatable {
        case status(Int)
        case error(URLError.Code?)
    }

    /// Sends a request each way, and returns the status or the error of each.
    private func outcomes(_ transport: URLSessionTransport, _ request: URLRequest) async -> [Outcome] {
        func outcome(_ call: () async throws -> HTTPURLResponse) async -> Outcome {
            do { return .status(try await call().statusCode) } catch { return .error((error as? URLError)?.code) }
        }
        return await [
            outcome { try await transport.data(for: request).1 },
            outcome { try await transport.send(request, body: .inRequest).1 },
            outcome { try await transport.exchange(request, deadline: .seconds(30)).1 },
        ]
    }

    @Test(arguments: [serverTrust, "NSURLAuthenticationMethodClientCertificate"])
    func `a certificate challenge that the delegate's session method cancels fails every request`(method: String)
        async throws
    {
        let base = try StubProtocol.register(challenge: space(method)) { _ in (200, "{}") }
        let delegate = RecordingDelegate { _ in .cancelAuthenticationChallenge }
        let transport = try URLSessionTransport(configuration: StubProtocol.configuration, delegate: delegate)
        #expect(await outcomes(transport, URLRequest(url: base)) == Array(repeating: .error(.cancelled), count: 3))
        #expect(delegate.asked == [.session, .session, .session])
    }

    @Test func `a refresh with a rejected server certificate is a transient failure`() async throws {
        let base = try StubProtocol.register(challenge: space(Self.serverTrust)) { _ in (401, "{}") }
        let delegate = RecordingDelegate { _ in .cancelAuthenticationChallenge }
        let endpoint = TokenEndpoint(
            contract: .freshet,
            baseURL: base,
            values: TemplateValues(),
            transport: try URLSessionTransport(configuration: StubProtocol.configuration, delegate: delegate),
            clock: .system,
            attemptTimeout: .seconds(30)
        )
        let pair = try #require(RefreshCredentials(Fixtures.stored(1, intent: "bound")))
        #expect(await endpoint.refresh(pair).answer == .other(.transient(retryAfter: nil)))
        #expect(delegate.asked == [.session])
    }

    // On Apple's systems the task's method is asked only where the session's is missing.
    #if os(Linux)
        @Test func `every request succeeds with a certificate that the delegate accepts`() async throws {
            let base = try StubProtocol.register(challenge: space(Self.serverTrust)) { _ in (200, "{}") }
            let delegate = RecordingDelegate()
            let transport = try URLSessionTransport(configuration: StubProtocol.configuration, delegate: delegate)
            #expect(await outcomes(transport, URLRequest(url: base)) == Array(repeating: .status(200), count: 3))
            #expect(delegate.asked == [.session, .task, .session, .task, .session, .task])
        }
    #endif

    @Test func `a proxy's authentication challenge is passed to the delegate's task method`() async throws {
        let proxy = URLProtectionSpace(
            proxyHost: "proxy.test",
            port: 8_080,
            type: "http",
            realm: "proxy",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        let base = try StubProtocol.register(challenge: proxy) { _ in (200, "{}") }
        let delegate = RecordingDelegate { _ in .cancelAuthenticationChallenge }
        let transport = try URLSessionTransport(configuration: StubProtocol.configuration, delegate: delegate)
        #expect(await outcomes(transport, URLRequest(url: base)) == Array(repeating: .error(.cancelled), count: 3))
        #expect(delegate.asked == [.task, .task, .task])
    }

    @Test func `a server's Basic challenge is returned as a response and does not reach the delegate`() async throws {
        let server = try LoopbackServer { _ in
            .answer("HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\n{}")
        }
        defer { server.stop() }
        let delegate = RecordingDelegate()
        let transport = try URLSessionTransport(configuration: .default, delegate: delegate)
        #expect(await outcomes(transport, URLRequest(url: try server.base)) == Array(repeating: .status(401), count: 3))
        #expect(delegate.asked.isEmpty)
    }

    @Test func `the app's delegate receives no redirects, data or completions`() async throws {
        let server = try LoopbackServer { request in
            request.contains("/start")
                ? .answer("HTTP/1.1 302 x\r\nLocation: /end\r\nContent-Length: 2\r\n\r\n{}") : .answer(Self.good)
        }
        defer { server.stop() }
        let delegate = RecordingDelegate()
        let transport = try URLSessionTransport(configuration: .default, delegate: delegate)
        let request = URLRequest(url: try server.base.appending(path: "start"))
        #expect(await outcomes(transport, request) == Array(repeating: .status(302), count: 3))
        #expect(delegate.results == 0 && server.count == 3)
    }

    @Test func `the progress of uploads reaches the delegate, that of refreshes included`() async throws {
        let server = try LoopbackServer { _ in .answer(Self.good) }
        defer { server.stop() }
        let delegate = RecordingDelegate()
        let transport = try URLSessionTransport(configuration: .default, delegate: delegate)
        var request = URLRequest(url: try server.base)
        request.httpMethod = "POST"
        request.httpBody = Data("12345".utf8)
        #expect(await outcomes(transport, request) == Array(repeating: .status(200), count: 3))
        #expect(delegate.sent == [5, 5, 5])
    }

    #if canImport(Darwin)
        @Test func `metrics and created tasks reach the delegate, those of refreshes included`() async throws {
            let server = try LoopbackServer { _ in .answer(Self.good) }
            defer { server.stop() }
            let delegate = RecordingDelegate()
            let transport = try URLSessionTransport(configuration: .default, delegate: delegate)
            #expect(
                await outcomes(transport, URLRequest(url: try server.base)) == Array(repeating: .status(200), count: 3)
            )
            #expect(delegate.created == 3 && delegate.collected == 3)
        }
    #endif
}
