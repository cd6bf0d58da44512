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

/// Behaviour common to all five apps, whatever their backends do.
@Suite(.timeLimit(.minutes(5))) struct `Every app` {
    @Test(arguments: AppBackend.App.allCases)
    func `a session refreshes once for all concurrent callers after its access token has expired`(app: AppBackend.App)
        async throws
    {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        #expect(stage.backend.counts.logins == 1)
        #expect(try await stage.call(session) == stage.resource.status)
        stage.expire()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await stage.call(session) } }
            for try await status in group { #expect(status == stage.resource.status) }
        }
        #expect(stage.backend.counts.refreshes == 1)
        #expect(stage.backend.counts.refusals == 0)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a session continues after a relaunch`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        _ = try await stage.signedIn()
        stage.expire()
        let relaunched = try stage.launch()
        #expect(relaunched.state == .active)
        #expect(try await stage.call(relaunched) == stage.resource.status)
        #expect(stage.backend.counts.refreshes == 1)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `an access token that was revoked early is replaced without an error`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        stage.backend.revokeAccessTokens()
        #expect(try await stage.call(session) == stage.resource.status)
        #expect(stage.backend.counts.refusals == 1)
        #expect(stage.backend.counts.refreshes == 1)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a 403 or 500 response is returned to the caller without a refresh`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        #expect(try await stage.status(session, "GET", "/forbidden") == 403)
        #expect(try await stage.status(session, "GET", "/broken") == 500)
        #expect(stage.backend.counts.refreshes == 0)
        #expect(session.state == .active)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a resource that always responds with 401 causes one refresh and does not end the session`(app: AppBackend.App)
        async throws
    {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        stage.backend.fail(.status(401), at: .api, times: nil)
        for _ in 0..<3 { #expect(try await stage.call(session) == 401) }
        #expect(stage.backend.counts.refreshes == 1)
        #expect(session.state == .active)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `an invalid refresh token ends the session with a reason, and no token stays stored`(app: AppBackend.App)
        async throws
    {
        let stage = AppFixture(app, callerTimeout: .seconds(30))
        let session = try await stage.signedIn()
        stage.backend.endSessions()
        async let call = failure { try await stage.call(session) }
        await stage.passDoubt()
        let error = await call
        guard case .signedOut(let reason?) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.description.isEmpty)
        #expect(session.state == .signedOut(reason))
        #expect(try stage.store.read()?.encoded().count ?? 0 < 200, "no token stays")
    }

    /// Faults of a refresh that say nothing about the session; the backend has not acted.
    private static let faults: [BackendFault] = [
        .requestLost, .status(500), .status(502), .status(503, retryAfter: 7), .status(429, retryAfter: 7),
        .status(408),
        .html(status: 200), .html(status: 401), .html(status: 403), .html(status: 502), .garbage,
        .redirect(to: nil), .unsuccessful,
    ]

    @Test(arguments: AppBackend.App.allCases, faults)
    func `a network or server fault during a refresh does not end the session, and a later call succeeds`(
        app: AppBackend.App,
        fault: BackendFault
    ) async throws {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(fault)
        let error = await failure { try await stage.call(session) }
        switch error {
        case .offline, .invalidResponse: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(session.state.isSignedIn)
        stage.clock.advance(by: .seconds(60))
        #expect(try await stage.call(session) == stage.resource.status)
        #expect(session.state == .active)
        #expect(stage.backend.counts.straysWithToken == 0)
    }

    /// Faults that come after the backend has acted: a new refresh token, if there is one, is lost with the answer.
    private static let losses: [BackendFault] = [
        .replyLost, .truncated, .empty, .status(500, acts: true),
    ]

    @Test(arguments: AppBackend.App.allCases, losses)
    func
        `a lost refresh response ends the session with a reason only if the backend rotates refresh tokens`(
            app: AppBackend.App,
            fault: BackendFault
        ) async throws
    {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(fault)
        #expect(await failure { try await stage.call(session) } != nil)
        #expect(session.state.isSignedIn, "a lost answer by itself is no sign-out")
        stage.clock.advance(by: .seconds(60))
        if stage.backend.settings.rotates {
            // Nothing can be done where the backend takes a token once and forgets what it answered.
            let states = session.states
            async let call = failure { try await stage.call(session) }
            await stage.passDoubt()
            _ = await call
            // Signed out with a reason, and nothing else, ends this loop.
            for await state in states { if case .signedOut(_?) = state { break } }
        } else {
            #expect(try await stage.call(session) == stage.resource.status)
        }
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a response with a wrong content type is read`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(.mislabelled(as: "text/plain"))
        #expect(try await stage.call(session) == stage.resource.status)
    }

    @Test(arguments: AppBackend.App.allCases, [-86_400.0, -120, 120, 86_400])
    func `a backend with a wrong clock causes no additional refreshes`(app: AppBackend.App, skew: Double) async throws {
        let stage = AppFixture(app)
        stage.backend.settings.clockSkew = .seconds(skew)
        let session = try await stage.signedIn()
        for _ in 0..<5 {
            stage.clock.advance(by: .seconds(5))
            #expect(try await stage.call(session) == stage.resource.status)
        }
        #expect(stage.backend.counts.refreshes == 0)
        stage.expire()
        #expect(try await stage.call(session) == stage.resource.status)
        #expect(stage.backend.counts.refreshes == 1)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a call that is redirected to another origin sends no token to that origin`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        stage.backend.fail(.redirect(to: nil), at: .api)
        _ = try await stage.call(session)
        #expect(stage.backend.counts.strays == 1)
        #expect(stage.backend.counts.straysWithToken == 0)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a locked store does not sign the user out`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        _ = try await stage.signedIn()
        stage.store.readFault = SessionStoreError(.locked, "before the first unlock")
        let session = try stage.launch()
        #expect(session.state == .unknown)
        stage.store.readFault = nil
        #expect(try await stage.call(session) == stage.resource.status)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a sign-out deletes the local session, even offline`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        let session = try await stage.signedIn()
        stage.backend.fail(.requestLost, at: .logout, times: nil)
        try await session.signOut()
        #expect(session.state == .signedOut(.requested))
        #expect(await failure { try await stage.call(session) } == .signedOut(.requested))
        let next = try stage.launch()
        #expect(!next.state.isSignedIn)
    }

    @Test(arguments: AppBackend.App.allCases)
    func `a session can start with tokens from the app's own login call`(app: AppBackend.App) async throws {
        let stage = AppFixture(app)
        let own = stage.backend.signIn()
        let session = try stage.launch()
        try await session.signIn(.tokens(TokenGrant(accessToken: own.accessToken, refreshToken: own.refreshToken)))
        #expect(stage.backend.counts.logins == 0)
        #expect(try await stage.call(session) == stage.resource.status)
        stage.expire()
        #expect(try await stage.call(session) == stage.resource.status)
        #expect(stage.backend.counts.refreshes == 1)
    }
}
