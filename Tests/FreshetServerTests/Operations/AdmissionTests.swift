// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A server under load` {
    let server = ServerUnderTest()

    @Test func `a request over the limit of concurrent requests gets 503 with Retry-After`() async throws {
        var configuration = server.configuration
        configuration.operations.admission.requests = 0
        try await server.run(configuration) { caller in
            let answer = try await caller.send(.get, NativePath.me)
            #expect(answer.error == "503 unavailable")
            let wait = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...4).contains(wait))
            #expect(try await caller.send(.get, NativePath.live).status == 200)
        }
    }

    @Test func `a write over the limit of waiting writes gets 503 with Retry-After`() async throws {
        var configuration = server.configuration
        configuration.operations.admission.writes = 0
        try await server.run(configuration) { caller in
            let answer = try await caller.post(
                NativePath.signup,
                PasswordCredentials(email: "ann@example.com", password: "correct horse")
            )
            #expect(answer.error == "503 unavailable")
            #expect(answer.headers[.retryAfter] != nil)
        }
    }

    @Test func `a session that refreshes in a loop gets 429 for a second, and other sessions are not limited`()
        async throws
    {
        var configuration = server.configuration
        configuration.operations.admission.sessionRateLimit = RateLimit(capacity: 3, interval: .seconds(1))
        try await server.run(configuration) { [server] caller in
            let grant = try await caller.signUp()
            let other = try await caller.signIn()
            let intent = Intent.random()
            for _ in 1...3 { #expect(try await caller.refresh(grant.refreshToken, intent).status == 200) }
            for _ in 1...20 {
                let answer = try await caller.refresh(grant.refreshToken, intent)
                #expect(answer.error == "429 too_many_requests")
                #expect(answer.headers[.retryAfter] == "1")
            }
            #expect(try await caller.refresh(other.refreshToken, .random()).status == 200)
            server.advance(by: .seconds(1))
            #expect(try await caller.refresh(grant.refreshToken, intent).status == 200)
        }
    }

    @Test func `the refreshes of one address are limited`() async throws {
        var configuration = server.configuration
        configuration.operations.admission.countsLoopback = true
        configuration.operations.admission.sourceRateLimit = RateLimit(capacity: 2, interval: .seconds(5))
        try await server.run(configuration) { caller in
            let grant = try await caller.signUp()
            let intent = Intent.random()
            for _ in 1...2 { #expect(try await caller.refresh(grant.refreshToken, intent).status == 200) }
            let answer = try await caller.refresh(grant.refreshToken, intent)
            #expect(answer.error == "429 too_many_requests")
            #expect(answer.headers[.retryAfter] == "5")
        }
    }

    /// Uses up a limit of two refreshes from addresses of one IPv6 /64, and is refused at a third.
    private func useUp(_ caller: TestHTTPClient) async throws -> RefreshRequest {
        let grant = try await caller.signUp()
        let body = RefreshRequest(refreshToken: grant.refreshToken, intent: Intent.random().text)
        for number in 1...2 {
            let answer = try await caller.post(NativePath.refresh, body, from: "2001:db8:1:2::\(number)")
            #expect(answer.status == 200)
        }
        let limited = try await caller.post(NativePath.refresh, body, from: "2001:db8:1:2:ffff::9")
        #expect(limited.error == "429 too_many_requests")
        return body
    }

    @Test func `the refreshes of one IPv6 network are limited, regardless of the address in it`() async throws {
        var configuration = server.behindProxy
        configuration.operations.admission.sourceRateLimit = RateLimit(capacity: 2, interval: .seconds(5))
        try await server.run(configuration) { caller in
            let body = try await useUp(caller)
            #expect(try await caller.post(NativePath.refresh, body, from: "2001:db8:1:3::1").status == 200)
            #expect(try await caller.post(NativePath.refresh, body, from: "192.0.2.1").status == 200)
        }
    }

    @Test func `a session's refreshes are limited per network, regardless of the address in it`() async throws {
        var configuration = server.behindProxy
        configuration.operations.admission.sessionRateLimit = RateLimit(capacity: 2, interval: .seconds(1))
        try await server.run(configuration) { caller in
            let body = try await useUp(caller)
            // A client elsewhere that knows the session's id does not use up its owner's.
            #expect(try await caller.post(NativePath.refresh, body, from: "2001:db8:1:3::1").status == 200)
        }
    }

    @Test func `a connection of an address with too many connections is closed`() async throws {
        var configuration = server.configuration
        configuration.operations.admission.countsLoopback = true
        configuration.operations.admission.connectionsPerSource = 0
        try await server.run(configuration) { caller in
            let port = try #require(caller.port)
            let answer = try? await RawConnection.exchange("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", port: port)
            #expect(answer?.hasPrefix("HTTP") != true)
            #expect(caller.parts.admission.refusedConnections == [.networkShare: 1])
            #expect(caller.parts.admission.connections == 0)
        }
    }

    @Test func `a refresh with a token that is known to be superseded causes no commit`() async throws {
        try await server.run { caller in
            let old = try await caller.signUp()
            let new: SessionTokens = try await caller.refresh(old.refreshToken, .random()).json()
            #expect(try await caller.present(NativePath.confirm, new.refreshToken).status == 204)
            #expect(try await caller.refresh(old.refreshToken, .random()).error == "409 superseded")
            let commits = caller.database.commits
            for _ in 1...50 {
                #expect(try await caller.refresh(old.refreshToken, .random()).error == "409 superseded")
            }
            #expect(caller.database.commits == commits)
            // And it sees the end of the session like any other.
            #expect(try await caller.present(NativePath.logout, new.refreshToken).status == 204)
            #expect(try await caller.refresh(old.refreshToken, .random()).error == "400 invalid_grant logout")
        }
    }

    @Test func `a report of a superseded token ends the session after refreshes with the token were refused`()
        async throws
    {
        try await server.run { caller in
            let old = try await caller.signUp()
            let new: SessionTokens = try await caller.refresh(old.refreshToken, .random()).json()
            #expect(try await caller.present(NativePath.confirm, new.refreshToken).status == 204)
            for _ in 1...2 {
                #expect(try await caller.refresh(old.refreshToken, .random()).error == "409 superseded")
            }
            let report = try await caller.present(NativePath.report, old.refreshToken)
            #expect(report.error == "400 invalid_grant stale_holder")
        }
    }

    @Test func `a token response suggests a refresh time well before the access token expires`() async throws {
        var configuration = server.configuration
        configuration.operations.admission.jitter = 0.05
        try await server.run(configuration) { caller in
            let grant = try await caller.signUp()
            #expect((570...600).contains(grant.expiresIn))
            let hint = try #require(grant.refreshAfter)
            #expect(Double(hint) >= 0.79 * Double(grant.expiresIn) && Double(hint) <= 0.9 * Double(grant.expiresIn))
        }
    }
}
