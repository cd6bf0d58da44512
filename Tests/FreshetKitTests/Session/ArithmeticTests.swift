// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// Numbers that were read or given: none of them traps.
@Suite(.timeLimit(.minutes(5))) struct `Extreme numbers` {
    let clock = TestClock()
    let transport = ManualTransport()

    private func contract() throws -> Contract {
        try Contract(
            json: Data(
                """
                {"contract":1,"name":"t","title":"T","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}}},
                "rotation":"optional","reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}]}}
                """.utf8
            )
        )
    }

    private func session(
        _ store: any SessionStore = InMemoryStore(),
        _ configuration: AuthSession.Configuration = AuthSession.Configuration()
    ) throws -> AuthSession {
        try AuthSession(
            contract: contract(),
            baseURL: Fixtures.base(),
            store: store,
            configuration: configuration,
            transport: transport,
            clock: clock
        )
    }

    private func refresh(_ session: AuthSession, _ number: Int, expiresIn: String = "600") async throws {
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/r")
            .answer(200, json: #"{"a":"a\#(number)","r":"r\#(number)","e":\#(expiresIn)}"#)
        try await refreshed
    }

    @Test func `a session whose stored generation is the maximum can still be refreshed`() async throws {
        var stored = Fixtures.stored(.max)
        #expect(stored.nextGeneration == .max)
        stored.generation = 6
        #expect(stored.nextGeneration == 7)
        stored.generation = .max
        let store = InMemoryStore()
        #expect(try store.replace(nil, with: Fixtures.record(stored)))
        let session = try session(store)
        for number in 1...3 {
            try await refresh(session, number)
            #expect(try await session.accessToken().value == "a\(number)")
            #expect(try store.read()?.session?.refreshToken == "r\(number)")
        }
        // The same sign-in again counts from the stored generation, too.
        let again = TokenGrant(accessToken: "a9", refreshToken: "r3", expiresIn: .seconds(600))
        try await session.signIn(.tokens(again))
        #expect(try store.read()?.session?.generation == .max)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(-1), .zero])
    func `a session works with extreme durations in its configuration`(time: Duration) async throws {
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.refreshBefore = time
        configuration.refreshPolicy.minimumInterval = time
        configuration.refreshPolicy.callerTimeout = max(time, .seconds(30))
        configuration.refreshPolicy.backoff = RetryBackoff(first: time, limit: time, longestRetryAfter: time)
        let session = try session(InMemoryStore(), configuration)
        session.enterForeground()
        try await session.signIn(.tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: time)))
        try await refresh(session, 1)
        #expect(try await session.accessToken().value == "a1")
        #expect(!session.isAccessTokenExpiring(within: .zero))
        _ = session.isAccessTokenExpiring(within: time)
        _ = try await session.accessToken().isExpiring(within: time)

        configuration.refreshPolicy.attemptTimeout = time
        configuration.refreshPolicy.callerTimeout = time
        let other = try self.session(InMemoryStore(), configuration)
        try await other.signIn(.tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600))))
        #expect(try await other.accessToken().value == "a0")
        for error in [SessionError.offline(retryAfter: time), .signedOut(nil)] { #expect(!"\(error)".isEmpty) }
    }

    @Test(arguments: ["1e300", "-1e300", "9223372036854775807", "9223372036854775808", "1e-300", #""1e300""#])
    func `a refresh succeeds with any number as the token lifetime in its response`(lifetime: String) async throws {
        let session = try session()
        try await session.signIn(.tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600))))
        try await refresh(session, 1, expiresIn: lifetime)
        #expect(session.state == .active)
    }

    @Test(arguments: [
        "99999999999999999999999", "9223372036854775807", "-9223372036854775808", "Sun, 06 Nov 9999999 08:49:37 GMT",
    ])
    func `a Retry-After header with an extreme value gives a delay within the valid range`(text: String) {
        var answer = HTTPReply(status: 503, headers: ["Retry-After": text])
        answer.expectedServerTime = 1_800_000_000
        let delay = answer.retryDelay ?? .zero
        #expect(delay >= .zero && delay <= .longest)
        if text.count > 18, !text.hasPrefix("-"), text.allSatisfy(\.isNumber) { #expect(delay > .seconds(86_400)) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, 1e-300])
    func `a duration from any number of seconds is limited to the valid range`(seconds: Double) {
        let bounded = Duration.bounded(seconds: seconds)
        #expect(bounded >= .zero && bounded <= .longest)
    }
}
