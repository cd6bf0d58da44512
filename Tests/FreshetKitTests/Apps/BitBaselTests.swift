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

/// Sign in with Apple, one refresh token for seven days, and a socket.
@Suite(.timeLimit(.minutes(5))) struct `The bitbasel app` {
    let stage = AppFixture(.bitbasel)

    @Test func `the bitbasel app keeps its refresh token, whether or not the response repeats the token`() async throws
    {
        let session = try await stage.signedIn()
        try await session.refresh()
        stage.backend.settings.repeatsRefreshToken = false
        try await session.refresh()
        try await session.refresh()
        let presented = stage.backend.exchanges.filter { $0.endpoint == .refresh }.flatMap(\.tokens)
        #expect(Set(presented).count == 1)
    }

    @Test func `the bitbasel app adopts new refresh tokens once the backend begins to rotate them`() async throws {
        let session = try await stage.signedIn()
        try await session.refresh()
        stage.backend.settings.rotates = true
        stage.backend.settings.detectsReuse = true
        for _ in 0..<3 { try await session.refresh() }
        #expect(session.state == .active)
        #expect(stage.backend.counts.grantedRefreshes == 4)
    }

    @Test func `a bitbasel session ends after seven days, and refreshes do not extend the session`() async throws {
        let session = try await stage.signedIn()
        let end = try #require(session.status.sessionExpiresAt)
        #expect(abs(end.timeIntervalSince(stage.clock.wall) - 7 * 86_400) < 2)
        stage.clock.advance(by: .seconds(3 * 86_400))
        #expect(try await stage.call(session) == 200)
        #expect(session.status.sessionExpiresAt == end)
        #expect(try stage.launch().status.sessionExpiresAt == end)

        stage.clock.advance(by: .seconds(4 * 86_400 + 60))
        guard case .signedOut(_?) = await failure(of: { try await stage.call(session) }) else {
            Issue.record("the seven days are over")
            return
        }
    }

    @Test func `the bitbasel app refreshes five minutes before expiry, and returns the valid token meanwhile`()
        async throws
    {
        let session = try await stage.signedIn()
        stage.clock.advance(by: .seconds(1499))
        let token = try await session.accessToken()
        #expect(stage.backend.counts.refreshes == 0)
        stage.clock.advance(by: .seconds(2))
        stage.backend.fail(.held)
        #expect(try await session.accessToken() == token)
        for await _ in stage.backend.heldRequests { break }
        #expect(session.state == .refreshing)
        stage.backend.release()
        for await state in session.states where state == .active { break }
        #expect(try await session.accessToken() != token)
    }

    @Test func `a refused sign-in with Apple reports the server's message`() async throws {
        let session = try stage.launch()
        stage.backend.fail(.status(401), at: .login)
        let error = await failure { try await session.signIn(.appleIdentityToken("apple-token")) }
        #expect(error == .refused(code: "status_401", message: "Request refused"))
    }

    @Test func `a bitbasel session has a user ID after sign-in`() async throws {
        let session = try await stage.signedIn()
        #expect(session.status.userID != nil)
    }
}
