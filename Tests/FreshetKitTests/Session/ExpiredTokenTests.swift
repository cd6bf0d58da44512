// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server that issues access tokens which have expired.
@Suite(.timeLimit(.minutes(5))) struct `Tokens that come expired` {
    let clock = TestClock()

    /// Answers each refresh with another token of the same lifetime.
    final class Issuer: HTTPTransport {
        private let lifetime: String
        private let count = Locked(0)

        init(lifetime: String) { self.lifetime = lifetime }

        var refreshes: Int { count.withLock { $0 } }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            throw URLError(.unsupportedURL)
        }

        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let body = #"{"a":"a\#(number)","r":"r\#(number)","e":\#(lifetime)}"#
            let url = try #require(request.url)
            let response = HTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "application/json"]
            )
            return (Data(body.utf8), try #require(response))
        }
    }

    private func session(_ issuer: Issuer) async throws -> AuthSession {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"t","title":"T","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}}},
                "rotation":"always","reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}]}}
                """.utf8
            )
        )
        var configuration = AuthSession.Configuration()
        // Callers do not wait for a pause to end.
        configuration.refreshPolicy.callerTimeout = .milliseconds(1)
        let session = try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            configuration: configuration,
            transport: issuer,
            clock: clock
        )
        try await session.signIn(.tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .zero)))
        return session
    }

    @Test(arguments: ["0", "-1", "-86400", "0.5", #""0""#])
    func `an access token that arrives expired is used once, and refreshes slow to at most ten a minute`(
        lifetime: String
    ) async throws {
        let issuer = Issuer(lifetime: lifetime)
        let session = try await session(issuer)
        #expect(try await session.accessToken().value == "a1", "for the caller who waited for it")
        #expect(await failure { try await session.accessToken() } != nil)
        #expect(issuer.refreshes == 1)
        #expect(session.state == .active, "the server is there")
        for _ in 1...600 {
            _ = try? await session.accessToken()
            clock.advance(by: .milliseconds(100))
        }
        #expect(issuer.refreshes <= 10, "\(issuer.refreshes) refreshes in a minute")
        #expect(issuer.refreshes >= 5, "and it does not give up")
    }

    @Test func `an access token of five seconds is refreshed two to four times in ten seconds`() async throws {
        let issuer = Issuer(lifetime: "5")
        let session = try await session(issuer)
        for _ in 1...100 {
            _ = try await session.accessToken()
            clock.advance(by: .milliseconds(100))
        }
        #expect((2...4).contains(issuer.refreshes))
    }
}
