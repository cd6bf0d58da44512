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

/// A minimal pair: the refresh token travels in the Authorization field, without a body.
@Suite(.timeLimit(.minutes(5))) struct `The authservice app` {
    let stage = AppFixture(.authservice)

    @Test func `the authservice app sends its refresh token as a bearer token, without a body`() async throws {
        let session = try await stage.signedIn()
        try await session.refresh()
        let exchange = try #require(stage.backend.exchanges.last { $0.endpoint == .refresh })
        #expect(exchange.request.headers["Authorization"]?.hasPrefix("Bearer ") == true)
        #expect(exchange.request.body.isEmpty)
        #expect(exchange.status == 200)
    }

    @Test func `the authservice app uses each refresh token once`() async throws {
        let session = try await stage.signedIn()
        for _ in 0..<5 { try await session.refresh() }
        #expect(stage.backend.counts.grantedRefreshes == 5)
        let presented = stage.backend.exchanges.filter { $0.endpoint == .refresh }.flatMap(\.tokens)
        #expect(Set(presented).count == 5)
    }

    @Test func `the authservice app reads its token's expiry from the claims, and refreshes a minute before expiry`()
        async throws
    {
        let session = try await stage.signedIn()
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince(stage.clock.wall) - 600) < 2)
        stage.clock.advance(by: .seconds(539))
        _ = try await session.accessToken()
        #expect(stage.backend.counts.refreshes == 0)
        stage.clock.advance(by: .seconds(2))
        stage.backend.fail(.held)
        _ = try await session.accessToken()
        for await _ in stage.backend.heldRequests { break }
        #expect(session.state == .refreshing)
        stage.backend.release()
    }

    @Test(arguments: [400, 403, 404, 409, 410, 418, 422])
    func `a refresh response with a 4xx status other than 401 does not end the session`(status: Int) async throws {
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(.status(status))
        guard case .offline = await failure(of: { try await stage.call(session) }) else {
            Issue.record("\(session.state)")
            return
        }
        stage.clock.advance(by: .seconds(60))
        #expect(try await stage.call(session) == 200)
    }

    @Test func `a refresh that gets an unexplained 401 is retried, and the session stays active`() async throws {
        let stage = AppFixture(.authservice, callerTimeout: .seconds(30))
        let session = try await stage.signedIn()
        stage.expire()
        stage.backend.fail(.status(401))
        async let status = stage.call(session)
        await stage.passDoubt()
        #expect(try await status == 200)
        #expect(stage.backend.counts.refreshes == 2)
        #expect(session.state == .active)
    }

    @Test func `a sign-in with a wrong password is refused with the server's message`() async throws {
        let session = try stage.launch()
        let error = await failure {
            try await session.signIn(.password(email: "ann@example.com", password: AppBackend.wrongPassword))
        }
        #expect(error == .refused(code: "invalid_credentials", message: "Wrong e-mail or password"))
        #expect(session.state == .signedOut(nil))
    }
}
