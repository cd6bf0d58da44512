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

/// The presets were written beside the doubles, not from them: where both misread an app alike, nothing shows, and else it does.
@Suite(.timeLimit(.minutes(5))) struct `A session and the double of its app` {
    let clock = TestClock()

    /// A path of each app that wants a token.
    private static let paths: [AppBackend.App: String] = [
        .authservice: "/dashboard", .bitbasel: "/posts/feed", .melchat: "/api/me", .creatist: "/items",
        .outbox: "/forbidden",
    ]

    private func session(_ backend: AppBackend, _ store: InMemoryStore = InMemoryStore()) throws -> AuthSession {
        try AuthSession(
            contract: .named(backend.app.rawValue),
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: store,
            transport: backend,
            clock: clock
        )
    }

    private func signIn(_ session: AuthSession, _ app: AppBackend.App) async throws {
        switch app {
        case .authservice, .creatist, .outbox:
            try await session.signIn(.password(email: "ann@example.com", password: "secret"))
        case .bitbasel:
            try await session.signIn(.appleIdentityToken("apple-token", nonce: "nonce"))
        case .melchat:
            let attempt = try await session.requestEmailCode(email: "ann@example.com")
            try await session.signIn(.emailCode(attempt, code: AppBackend.emailCode))
        }
    }

    /// Calls the app's backend; outbox has no path to read, so its answer is 403 with a valid token.
    private func call(_ session: AuthSession, _ app: AppBackend.App) async throws -> Int {
        let url = try #require(URL(string: "https://api.example.com" + (Self.paths[app] ?? "/")))
        return try await session.data(for: URLRequest(url: url)).1.statusCode
    }

    private func good(_ app: AppBackend.App) -> Int { app == .outbox ? 403 : 200 }

    @Test(arguments: AppBackend.App.allCases)
    func `a session signs in, and refreshes after its access token has expired`(app: AppBackend.App) async throws {
        let backend = AppBackend(app, clock: clock)
        // As melchat's do by themselves, both would end at once.
        backend.settings.refreshLifetime = backend.settings.accessLifetime * 2
        let session = try session(backend)
        try await signIn(session, app)
        #expect(backend.counts.logins == 1)
        let first = try await call(session, app)
        clock.advance(by: backend.settings.accessLifetime)
        let second = try await call(session, app)
        #expect(first == good(app) && second == good(app))
        #expect(backend.counts.grantedRefreshes == 1 && backend.counts.refusals == 0)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a session refreshes once and retries the request after an early token revocation`(app: AppBackend.App)
        async throws
    {
        let backend = AppBackend(app, clock: clock)
        let session = try session(backend)
        try await signIn(session, app)
        backend.revokeAccessTokens()
        let status = try await call(session, app)
        #expect(status == good(app))
        #expect(backend.counts.refusals == 1 && backend.counts.refreshes == 1 && backend.counts.requests == 2)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a revoked refresh token ends the session`(app: AppBackend.App) async throws {
        let backend = AppBackend(app, clock: clock)
        let session = try session(backend)
        try await signIn(session, app)
        backend.revokeRefreshTokens()
        clock.advance(by: backend.settings.accessLifetime)
        let call = Task { try await self.call(session, app) }
        // Where a status alone says so, it is asked about twice.
        let isBare = [.authservice, .melchat, .creatist].contains(app)
        if isBare {
            await clock.waitForSleep(for: .seconds(1))
            clock.advance(by: .seconds(1))
        }
        guard case .failure(let error as SessionError) = await call.result, case .signedOut = error else {
            Issue.record("the session goes on")
            return
        }
        #expect(backend.counts.refreshes == (isBare ? 2 : 1))
    }

    @Test(
        arguments: AppBackend.App.allCases,
        [
            BackendFault.requestLost, .status(500), .status(503, retryAfter: 1), .status(429, retryAfter: 1), .html(),
            .html(status: 403), .html(status: 502), .garbage, .empty, .truncated, .redirect(),
        ]
    )
    func `no fault of a refresh ends the session or sends a token to another origin`(
        app: AppBackend.App,
        fault: BackendFault
    ) async throws {
        let backend = AppBackend(app, clock: clock)
        backend.settings.refreshLifetime = backend.settings.accessLifetime * 2
        // A token that was used up by an answer that never came is another story.
        backend.settings.rotates = false
        backend.settings.repeatsRefreshToken = true
        let store = InMemoryStore()
        let session = try session(backend, store)
        try await signIn(session, app)
        clock.advance(by: backend.settings.accessLifetime)
        backend.fail(fault, times: nil)
        let caller = Task { try await call(session, app) }
        for await state in session.states where state == .offline || !state.isSignedIn { break }
        caller.cancel()
        await #expect(throws: (any Error).self) { try await caller.value }

        backend.clearFaults()
        let status = try await call(try self.session(backend, store), app)
        #expect(status == good(app))
        #expect(backend.counts.logins == 1 && backend.counts.straysWithToken == 0)
    }
}
