// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
// The sample of the article about testing an app, and one test for each line of its table.
// snippet.show
import Foundation
import FreshetKit
import FreshetTesting
import Testing

// snippet.hide
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's client of its backend, which is given a session.
private struct FeedClient {
    let session: AuthSession

    func isUp() async throws -> Bool {
        let url = try #require(URL(string: "https://api.example.com/posts/feed"))
        return try await session.data(for: URLRequest(url: url)).1.statusCode == 200
    }
}
// snippet.show
@Suite struct `My app` {
    let clock = TestClock()

    @Test func `a request of the app succeeds even if the response to a refresh is lost`() async throws {
        let backend = TestBackend()
        let session = try AuthSession(
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: InMemoryStore(),
            transport: backend,
            clock: clock
        )
        try await session.signIn(.password(email: "ann@example.com", password: "secret"))
        clock.advance(by: .seconds(600))  // the access token has expired,
        backend.fail(.replyLost)  // and the backend's next response to a refresh is lost
        async let isUp = FeedClient(session: session).isUp()
        await clock.waitForSleep(for: .milliseconds(250))  // the pause before the second attempt
        clock.advance(by: .milliseconds(250))
        #expect(try await isUp)
        #expect(backend.counts.refreshes == 2)
    }
    // snippet.hide

    private func session(_ backend: TestBackend, _ store: any SessionStore = InMemoryStore()) async throws
        -> AuthSession
    {
        let session = try AuthSession(
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: store,
            transport: backend,
            clock: clock
        )
        try await session.signIn(.password(email: "ann@example.com", password: "secret"))
        return session
    }

    @Test func `repeated 401 responses cause only one refresh`() async throws {
        let backend = TestBackend()
        let session = try await session(backend)
        backend.fail(.status(401), at: .api, times: nil)
        for _ in 0..<10 { #expect(try await !FeedClient(session: session).isUp()) }
        #expect(backend.counts.refreshes == 1)
        #expect(session.state == .active)
    }

    @Test func `wrong clocks of the device and the backend cause no failure and no extra refresh`() async throws {
        let backend = TestBackend()
        let session = try await session(backend)
        clock.moveWallClock(by: -86_400)
        #expect(try await FeedClient(session: session).isUp())
        let skewed = TestBackend()
        skewed.clockSkew = .seconds(-3600)
        let other = try await self.session(skewed)
        #expect(try await FeedClient(session: other).isUp())
        #expect(backend.counts.refreshes + skewed.counts.refreshes == 0)
    }

    @Test func `a locked store does not sign the user out`() async throws {
        let backend = TestBackend()
        let store = UnreliableStore()
        _ = try await session(backend, store)
        store.readFault = SessionStoreError(.locked, "before the first unlock")
        let next = try AuthSession(
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: store,
            transport: backend,
            clock: clock
        )
        #expect(next.state == .unknown)
        store.readFault = nil
        #expect(try await FeedClient(session: next).isUp())
    }

    @Test func `code that uses URLSession directly reaches the test backend`() async throws {
        let backend = TestBackend(clock: clock)
        let wire = try URLSessionBackend(backend)
        let client = URLSession(configuration: wire.configuration)
        var request = URLRequest(url: wire.baseURL.appending(path: "v1/login/password"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"email": "ann@example.com", "password": "secret"}"#.utf8)
        let (_, response) = try await client.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(backend.counts.logins == 1)
        backend.fail(.requestLost, at: .login)
        await #expect(throws: URLError.self) { try await client.data(for: request) }
        client.finishTasksAndInvalidate()
    }
    // snippet.show
}
