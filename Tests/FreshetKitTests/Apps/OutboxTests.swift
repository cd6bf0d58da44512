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
    func `reads its tokens out of the envelope, in either casing`(casing: BackendSettings.Casing) async throws {
        stage.backend.settings.casing = casing
        let session = try await stage.signedIn()
        for _ in 0..<3 { try await session.refresh() }
        #expect(stage.backend.counts.grantedRefreshes == 3)
    }

    @Test func `the start of the app, its validation and its outbox are one flight`() async throws {
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

    @Test func `an old refresh token is revoked, and the session ends with a reason`() async throws {
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(.replyLost)
        #expect(await failure { try await stage.call(session) } != nil)
        stage.clock.advance(by: .seconds(60))
        #expect(await failure { try await stage.call(session) } == .signedOut(.revoked))
        #expect(session.state == .signedOut(.revoked))
    }

    @Test func `an end that cannot be read is fifteen minutes away, never an hour`() async throws {
        stage.backend.settings.grantsReadableTokens = false
        let session = try await stage.signedIn()
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince(stage.clock.wall) - 900) < 2)
    }

    @Test func `a write is sent once, also where its token had been taken back`() async throws {
        let session = try await stage.signedIn()
        stage.backend.revokeAccessTokens()
        #expect(try await stage.call(session) == 201)
        #expect(stage.backend.messages.count == 1)
    }

    @Test func `the next user sends nothing as the previous one`() async throws {
        let session = try await stage.signedIn()
        #expect(try await stage.call(session) == 201)
        try await session.signIn(.password(email: "bob@example.com", password: "secret"))
        #expect(try await stage.call(session) == 201)
        #expect(Set(stage.backend.messages.map(\.userID)).count == 2)
    }
}
