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

/// A stated lifetime of fifteen minutes, and rotation that comes and goes.
@Suite(.timeLimit(.minutes(5))) struct `The creatist app` {
    let stage = AppFixture(.creatist)

    @Test func `the creatist app sends its refresh token in a JSON body`() async throws {
        let session = try await stage.signedIn()
        try await session.refresh()
        #expect(stage.lastRefreshBody.hasPrefix(#"{"refresh_token":""#))
    }

    @Test func `a session continues whether or not the backend rotates refresh tokens`() async throws {
        let session = try await stage.signedIn()
        for rotates in [true, false, true, true, false] {
            stage.backend.settings.rotates = rotates
            try await session.refresh()
        }
        #expect(stage.backend.counts.grantedRefreshes == 5)
    }

    @Test func `an access token's expiry is read from its claims if the response does not state an expiry`()
        async throws
    {
        stage.backend.settings.statesExpiry = false
        let session = try await stage.signedIn()
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince(stage.clock.wall) - 900) < 2)
    }

    @Test func `an access token of unknown expiry is assumed to expire after fifteen minutes`() async throws {
        stage.backend.settings.statesExpiry = false
        stage.backend.settings.grantsReadableTokens = false
        let session = try await stage.signedIn()
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince(stage.clock.wall) - 900) < 2)
    }

    /// The app's own monitor stopped for ever after one failure.
    @Test func `a refresh before the access token's expiry is retried after failures`() async throws {
        let session = try await stage.signedIn()
        stage.clock.advance(by: .seconds(800))
        stage.backend.fail(.status(500), .status(500))
        for outcome in [SessionState.offline, .offline, .active] {
            var states = session.states.makeAsyncIterator()
            _ = await states.next()
            _ = try await session.accessToken()
            #expect(await states.next() == .refreshing)
            #expect(await states.next() == outcome)
            stage.clock.advance(by: .seconds(20))
        }
        #expect(stage.backend.counts.refreshes == 3)
        #expect(stage.backend.counts.grantedRefreshes == 1)
    }

    @Test func `the end of one session does not affect another session`() async throws {
        let other = AppFixture(.creatist)
        let mine = try await stage.signedIn()
        let yours = try await other.signedIn()
        stage.backend.endSessions()
        async let error = failure { try await mine.refresh() }
        await stage.passDoubt()
        #expect(await error != nil)
        #expect(yours.state == .active)
    }

    @Test func `a session reports its access token's expiry, and a requested refresh extends the expiry`() async throws
    {
        let session = try await stage.signedIn()
        let first = try #require(session.status.accessTokenExpiresAt)
        stage.clock.advance(by: .seconds(60))
        try await session.refresh()
        let second = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(second.timeIntervalSince(first) - 60) < 2)
    }
}
