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

/// Camel case, a code by e-mail, sign-out here and everywhere, and an older backend with one token.
@Suite(.timeLimit(.minutes(5))) struct `The melchat app` {
    let stage = AppFixture(.melchat)

    @Test func `a wrong e-mail code is refused, and the right code signs the user in`() async throws {
        let session = try stage.launch()
        let attempt = try await session.requestEmailCode(email: "ann@example.com")
        let wrong = await failure { try await session.signIn(.emailCode(attempt, code: "000000")) }
        #expect(wrong == .refused(code: "invalid_credentials", message: "Invalid or expired code"))
        try await session.signIn(.emailCode(attempt, code: AppBackend.emailCode))
        #expect(session.state == .active)
        #expect(session.status.userID != nil)
    }

    @Test func `the melchat app keeps its refresh token until a response contains a new refresh token`() async throws {
        let session = try await stage.signedIn()
        for _ in 0..<3 { try await session.refresh() }
        #expect(stage.lastRefreshBody.contains("refreshToken"))
        #expect(stage.backend.counts.grantedRefreshes == 3)
        stage.backend.settings.rotates = true
        for _ in 0..<3 { try await session.refresh() }
        #expect(stage.backend.counts.grantedRefreshes == 6, "one that comes is adopted")
    }

    @Test func `a 200 response with success false is a failure and does not end the session`() async throws {
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(.unsuccessful)
        guard case .offline = await failure(of: { try await stage.call(session) }) else {
            Issue.record("it is a failure of the server")
            return
        }
        stage.clock.advance(by: .seconds(60))
        #expect(try await stage.call(session) == 200)
    }

    @Test func `a sign-out of the melchat app ends the session on the server`() async throws {
        let session = try await stage.signedIn()
        try await session.signOut()
        #expect(stage.backend.counts.logouts == 1)
        #expect(stage.backend.liveSessions == 0)
    }

    @Test func `a sign-out without a network reaches the server at a later launch`() async throws {
        let session = try await stage.signedIn()
        stage.backend.fail(.requestLost, at: .logout)
        try await session.signOut()
        #expect(stage.backend.liveSessions == 1)
        let next = try stage.launch()
        #expect(next.state == .signedOut(.requested))
        try await stage.backend.waitForLiveSessions(0)
    }

    @Test func `a sign-out everywhere ends all sessions, even with a revoked access token`() async throws {
        let session = try await stage.signedIn()
        _ = stage.backend.signIn()
        stage.backend.revokeAccessTokens()
        try await session.signOutEverywhere()
        #expect(stage.backend.liveSessions == 0)
        #expect(!session.state.isSignedIn)
    }

    @Test func `a session of the older backend works until its token expires, and ends as not renewable`() async throws
    {
        stage.backend.settings.isLegacy = true
        stage.backend.settings.accessLifetime = .seconds(30 * 86_400)
        let session = try await stage.signedIn()
        #expect(!session.status.isRenewable)
        stage.clock.advance(by: .seconds(29 * 86_400))
        #expect(try await stage.call(session) == 200)
        let relaunched = try stage.launch()
        #expect(try await stage.call(relaunched) == 200)

        stage.clock.advance(by: .seconds(2 * 86_400))
        #expect(await failure { try await stage.call(relaunched) } == .signedOut(.unrenewable))
        #expect(relaunched.state == .signedOut(.unrenewable))
        #expect(SignOutReason.unrenewable.description == "The session expired.")
    }

    @Test func `a session of the older backend becomes renewable at the next sign-in`() async throws {
        stage.backend.settings.isLegacy = true
        let session = try await stage.signedIn()
        stage.backend.settings.isLegacy = false
        let attempt = try await session.requestEmailCode(email: "ann@example.com")
        try await session.signIn(.emailCode(attempt, code: AppBackend.emailCode))
        #expect(session.status.isRenewable)
    }

    @Test func `an access token of thirty days overflows no timer and needs no refresh before its expiry`() async throws
    {
        stage.backend.settings.accessLifetime = .seconds(2_592_000)
        let session = try await stage.signedIn()
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince(stage.clock.wall) - 2_592_000) < 2)
        stage.clock.advance(by: .seconds(2_591_000))
        #expect(try await stage.call(session) == 200)
        #expect(stage.backend.counts.refreshes == 0)
    }
}
