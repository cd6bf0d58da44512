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

/// An envelope, rotation at every refresh, and three independent callers.
@Suite(.timeLimit(.minutes(5))) struct `The outbox app` {
    let stage = AppFixture(.outbox)

    @Test(arguments: [BackendSettings.Casing.snake, .camel])
    func `a session reads its tokens from an envelope in snake case and in camel case`(casing: BackendSettings.Casing)
        async throws
    {
        stage.backend.settings.casing = casing
        let session = try await stage.signedIn()
        for _ in 0..<3 { try await session.refresh() }
        #expect(stage.backend.counts.grantedRefreshes == 3)
    }

    @Test func `three concurrent callers with an expired access token share one refresh`() async throws {
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(.held)
        async let start = session.accessToken()
        async let validation = session.accessToken()
        async let outbox = stage.call(session)
        for await _ in stage.backend.heldRequests { break }
        stage.backend.release()
        let tokens = try await [start, validation]
        #expect(tokens[0] == tokens[1])
        #expect(try await outbox == 201)
        #expect(stage.backend.counts.refreshes == 1)
    }

    @Test func `the reuse of an old refresh token after a lost response ends the session as revoked`() async throws {
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(.replyLost)
        #expect(await failure { try await stage.call(session) } != nil)
        stage.clock.advance(by: .seconds(60))
        #expect(await failure { try await stage.call(session) } == .signedOut(.revoked))
        #expect(session.state == .signedOut(.revoked))
    }

    @Test func `an access token without a readable expiry is assumed to expire after fifteen minutes`() async throws {
        stage.backend.settings.grantsReadableTokens = false
        let session = try await stage.signedIn()
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince(stage.clock.wall) - 900) < 2)
    }

    @Test func `a write whose access token was revoked succeeds and creates one message`() async throws {
        let session = try await stage.signedIn()
        stage.backend.revokeAccessTokens()
        #expect(try await stage.call(session) == 201)
        #expect(stage.backend.messages.count == 1)
    }

    @Test func `requests after another user's sign-in are sent as the new user`() async throws {
        let session = try await stage.signedIn()
        #expect(try await stage.call(session) == 201)
        try await session.signIn(.password(email: "bob@example.com", password: "secret"))
        #expect(try await stage.call(session) == 201)
        #expect(Set(stage.backend.messages.map(\.userID)).count == 2)
    }
}
