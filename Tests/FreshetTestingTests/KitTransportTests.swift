// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `Transports of the test kit` {
    private let login = Data(#"{"email": "ann@example.com", "password": "secret"}"#.utf8)

    private func request(_ url: URL, stream: Bool) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if stream { request.httpBodyStream = InputStream(data: login) } else { request.httpBody = login }
        return request
    }

    @Test func `a test backend receives the streamed body of a request`() async throws {
        let transport = ManualTransport()
        let url = try #require(URL(string: "https://api.example.com/v1/login/password"))
        let backend = TestBackend()
        for isStreamed in [true, false] {
            let sent = request(url, stream: isStreamed)
            async let answer = transport.data(for: sent)
            try await transport.next().answer(from: backend)
            #expect(String(decoding: try await answer.0, as: UTF8.self).contains("ann@example.com"))
        }
        let (body, _) = try await backend.data(for: request(url, stream: true))
        #expect(String(decoding: body, as: UTF8.self).contains("ann@example.com"))
    }

    @Test func `a test backend responds to its URLSession after the test has released the URLSessionBackend`()
        async throws
    {
        let backend = TestBackend()
        var configuration: URLSessionConfiguration?
        var base: URL?
        do {
            let wire = try URLSessionBackend(backend)
            configuration = wire.configuration
            base = wire.baseURL
        }
        let client = URLSession(configuration: try #require(configuration))
        defer { client.finishTasksAndInvalidate() }
        let url = try #require(base).appending(path: "v1/login/password")
        let (_, response) = try await client.data(for: request(url, stream: false))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(backend.counts.logins == 1)
    }

    /// The address answers on this machine, so that a request that reached the network would be seen.
    @Test func `requests to hosts other than the backend fail inside the process`() async throws {
        let wire = try URLSessionBackend(TestBackend())
        let client = URLSession(configuration: wire.configuration)
        defer { client.finishTasksAndInvalidate() }
        for text in ["https://\(UUID().uuidString.lowercased()).test/", "http://127.0.0.1:1/", "http://localhost:1/x"] {
            let url = try #require(URL(string: text))
            let error = await #expect(throws: URLError.self) { try await client.data(from: url) }
            #expect(error?.code == .cannotFindHost, "\(text)")
        }
    }

    @Test(arguments: [(29, true), (31, false)])
    func `the native test backend ends an idle session after the refresh lifetime, not earlier`(days: Int, isKept: Bool)
        async throws
    {
        let clock = TestClock()
        let backend = TestBackend()
        let session = try AuthSession(
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: InMemoryStore(),
            transport: backend,
            clock: clock
        )
        try await session.signIn(.password(email: "ann@example.com", password: "secret"))
        #expect(backend.refreshLifetime == 30 * 86_400)
        for _ in 0..<2 {
            clock.advance(by: .seconds(days * 86_400))
            _ = try? await session.accessToken()
        }
        #expect(session.state == (isKept ? .active : .signedOut(.idleTimeout)))
    }
}
