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

/// One of the five apps: its contract, the double of its backend, and a clock that the test moves.
struct AppFixture {
    let app: AppBackend.App
    let clock: TestClock
    let backend: AppBackend
    let store = UnreliableStore()
    private let callerTimeout: Duration

    /// By default a call makes one attempt: a test sees every fault, and moves time on by itself.
    init(_ app: AppBackend.App, callerTimeout: Duration = .milliseconds(100)) {
        self.app = app
        self.callerTimeout = callerTimeout
        clock = TestClock()
        backend = AppBackend(app, clock: clock)
        // Its two tokens end at the same time as things are; they are expected to part.
        if app == .melchat { backend.settings.accessLifetime = .seconds(900) }
    }

    /// A launch of the app: what rests in the store is picked up.
    func launch() throws -> AuthSession {
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.callerTimeout = callerTimeout
        return try AuthSession(
            contract: .named(app.rawValue),
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: store,
            configuration: configuration,
            transport: backend,
            clock: clock
        )
    }

    /// A launch, and the app's own way to sign in.
    func signedIn() async throws -> AuthSession {
        let session = try launch()
        try await signIn(session)
        return session
    }

    /// The app's own way to sign in, as the same user each time.
    func signIn(_ session: AuthSession) async throws {
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

    /// The access token ends.
    func expire() { clock.advance(by: backend.settings.accessLifetime + .seconds(1)) }

    /// Lets the pause pass after which the SDK asks a second time, where a status alone says that a session is over.
    func passDoubt() async {
        guard [.authservice, .melchat, .creatist].contains(app) else { return }
        await clock.waitForSleep(for: .seconds(1))
        clock.advance(by: .seconds(1))
    }

    /// A request for the app's main resource, and the status of its response.
    var resource: (method: String, path: String, status: Int) {
        switch app {
        case .authservice: ("GET", "/dashboard", 200)
        case .bitbasel: ("GET", "/posts/feed", 200)
        case .melchat: ("GET", "/api/me", 200)
        case .creatist: ("GET", "/items", 200)
        case .outbox: ("POST", "/api/v1/messages", 201)
        }
    }

    /// Calls the app's resource, and returns its status.
    func call(_ session: AuthSession) async throws -> Int {
        try await status(session, resource.method, resource.path)
    }

    func status(_ session: AuthSession, _ method: String, _ path: String) async throws -> Int {
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com\(path)")))
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data("{}".utf8) }
        return try await session.data(for: request).1.statusCode
    }

    /// The body of the app's last refresh.
    var lastRefreshBody: String {
        String(decoding: backend.exchanges.last { $0.endpoint == .refresh }?.request.body ?? Data(), as: UTF8.self)
    }
}
