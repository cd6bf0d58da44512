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

/// Configuration mistakes, faults of the server and missing connections are different errors.
@Suite(.timeLimit(.minutes(5))) struct `Errors by the caller's next action` {
    let transport = ManualTransport()
    let clock = TestClock()

    /// A contract whose refresh needs a secret, which no check requires before the first refresh.
    private static let text = """
        {"contract":1,"name":"small","title":"S","secrets":{"key":{"about":"A key."}},"variables":{"client_id":{"about":"The ID."}},
        "endpoints":{"refresh":{"path":"/refresh","json":{"token":"$refresh_token","key":"key-$key"}}},
        "rotation":"always","reply":{"access":"/a","refresh":"/r","expiry":[{"assume":600}]}}
        """

    private func session(
        base: String = "https://api.example.com",
        _ configure: (inout AuthSession.Configuration) -> Void = { _ in }
    ) throws -> AuthSession {
        var configuration = AuthSession.Configuration()
        configuration.contractValues = ["client_id": "app", "key": "k"]
        configuration.refreshPolicy.callerTimeout = .milliseconds(1)
        configure(&configuration)
        return try AuthSession(
            contract: Contract(json: Data(Self.text.utf8)),
            baseURL: Fixtures.url(base),
            store: InMemoryStore(),
            configuration: configuration,
            transport: transport,
            clock: clock
        )
    }

    private func isMisconfigured(_ text: String, _ operation: () throws -> AuthSession) -> Bool {
        do { _ = try operation() } catch { return error as? SessionError == .misconfigured(text) }
        return false
    }

    @Test func `a configuration that cannot work is reported when the session is created`() {
        #expect(
            isMisconfigured("tokens are sent over https only, except on this machine") {
                try session(base: "http://api.example.com")
            }
        )
        #expect(isMisconfigured("the base URL is not an http or https URL") { try session(base: "ftp://a") })
        #expect(
            isMisconfigured("the base URL must not have a query or a fragment") {
                try session(base: "https://a.example/?b")
            }
        )
        #expect(
            isMisconfigured("'no host' among the additional hosts is not a host") {
                try session { $0.additionalHosts = ["no host"] }
            }
        )
        #expect(
            isMisconfigured("the contract 'small' needs a value for 'client_id': The ID.") {
                try session { $0.contractValues = [:] }
            }
        )
        #expect(
            isMisconfigured("the contract 'small' has no variable 'tenant'") {
                try session { $0.contractValues["tenant"] = "t" }
            }
        )
    }

    @Test func `calls with invalid arguments fail as misconfigured or unsupported, and no request is sent`()
        async throws
    {
        let session = try session()
        let name = SessionError.misconfigured(
            "'refresh' is not a sign-in: the name of a sign-in begins with 'login.'"
        )
        #expect(await failure { try await session.signIn(.fields(endpoint: "refresh", [:])) } == name)
        let tokens = TokenGrant(accessToken: "two\nlines")
        guard case .misconfigured = await failure(of: { try await session.signIn(.tokens(tokens)) }) else {
            Issue.record("a configuration mistake is expected")
            return
        }
        let url = try Fixtures.url("wss://other.example/feed")
        let socket = SessionError.misconfigured(
            "a socket at https://other.example:443 must not receive the access token; see 'additionalHosts'"
        )
        #expect(throws: socket) { try session.socket(url) }
        #expect(throws: SessionError.unsupported(.socket(contract: "small"))) { try session.socket() }
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `a refresh without a value that its contract needs is not sent, and the session stays`() async throws {
        let session = try session { $0.contractValues["key"] = nil }
        try await session.signIn(.tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600))))
        let lines = LogLines()
        session.log { _, line in lines.add(line) }
        #expect(await failure { try await session.refresh() } == .misconfigured("there is no value for 'key'"))
        #expect(session.state.isSignedIn && transport.unclaimed.isEmpty)
        #expect(
            lines.all.suffix(2) == [
                "Attempt 1 to refresh: not sent, because the request cannot be created; the session stays.",
                "Token refresh failed: The configuration is wrong: there is no value for 'key'. "
                    + "The session stays; a developer has to correct the app's configuration.",
            ]
        )
    }

    @Test func `an offline error without a connection failure does not describe the server as unreachable`() {
        #expect(
            SessionError.offline(retryAfter: .seconds(22)).description
                == "The server accepts no requests now; it can be retried in 22 s."
        )
        #expect(
            SessionError.offline(retryAfter: nil, failure: .tls).description
                == "The server cannot be reached now: TLS failed."
        )
    }

    @Test func `the reason for a missing connection reaches the caller and the log`() async throws {
        let session = try session()
        try await session.signIn(.tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600))))
        let lines = LogLines()
        session.log { _, line in lines.add(line) }
        async let error = failure { try await session.refresh() }
        try await transport.next(to: "/refresh").fail(URLError(.serverCertificateUntrusted))
        guard case .offline(_?, .tls) = await error else {
            Issue.record("\(String(describing: await error))")
            return
        }
        #expect(lines.all.contains("Attempt 1 to refresh: no response after 0 s: TLS failed."))
        #expect(
            lines.all.contains { $0.hasPrefix("Token refresh failed: The server cannot be reached now: TLS failed; ") }
        )
        // The second call ends the pause; the third is within five seconds of it, and gets the reason without a request.
        async let second = failure { try await session.refresh() }
        try await transport.next(to: "/refresh").fail(URLError(.cannotFindHost))
        _ = await second
        guard case .offline(_?, .hostNotFound) = await failure(of: { try await session.refresh() }) else {
            Issue.record("the reason of the latest attempt is expected")
            return
        }
        // With a response, there is none.
        clock.advance(by: .seconds(60))
        async let later = failure { try await session.refresh() }
        try await transport.next(to: "/refresh").answer(503)
        guard case .offline(_?, nil) = await later else {
            Issue.record("\(String(describing: await later))")
            return
        }
    }

    @Test(arguments: [
        (URLError.Code.notConnectedToInternet, SessionError.ConnectionFailure.noNetwork),
        (.cannotFindHost, .hostNotFound),
        (.dnsLookupFailed, .hostNotFound), (.cannotConnectToHost, .cannotConnect), (.secureConnectionFailed, .tls),
        (.serverCertificateUntrusted, .tls), (.networkConnectionLost, .connectionLost), (.timedOut, .timedOut),
        (.cancelled, .other("URLError -999")),
    ])
    func `an error of URLSession has a short reason without its URL`(
        code: URLError.Code,
        reason: SessionError.ConnectionFailure
    ) {
        let url = "https://api.example.com/?secret"
        let failure = SessionError.ConnectionFailure(
            URLError(code, userInfo: [NSURLErrorFailingURLErrorKey: url])
        )
        #expect(failure == reason)
        #expect(!"\(failure)".contains("secret"))
    }

    @Test func `an unknown transport error is described by the name of its type only`() {
        struct Odd: Error { var url = "https://api.example.com/?secret" }
        #expect(SessionError.ConnectionFailure(Odd()) == .other("Odd"))
    }
}
