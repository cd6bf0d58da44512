// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// An operation for which a contract has no endpoint is not an error of the backend.
@Suite(.timeLimit(.minutes(5))) struct `Operations without an endpoint` {
    let transport = ManualTransport()

    private func session() async throws -> AuthSession {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"small","title":"S","endpoints":{"login.password":{"path":"/l","json":{"u":"$email",
                "p":"$password"}}},"rotation":"none","reply":{"access":"/a","expiry":[{"assume":600}]}}
                """.utf8
            )
        )
        let session = try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            transport: transport,
            clock: TestClock()
        )
        try await session.signIn(.tokens(TokenGrant(accessToken: "a0", expiresIn: .seconds(600))))
        return session
    }

    @Test func `an unsupported operation throws an error, sends no request, and keeps the session`() async throws {
        let session = try await session()
        #expect(await failure { try await session.devices() } == .unsupported(.listSessions(contract: "small")))
        #expect(await failure { try await session.endSession(id: "x") } == .unsupported(.endSession(contract: "small")))
        let everywhere = SessionError.unsupported(.signOutEverywhere(contract: "small"))
        #expect(await failure { try await session.signOutEverywhere() } == everywhere)
        #expect(await failure { try await session.refresh() } == .unsupported(.refresh))
        let apple = SessionError.unsupported(.signIn(endpoint: "login.apple", contract: "small"))
        #expect(await failure { try await session.signIn(.appleIdentityToken("t", nonce: nil)) } == apple)
        let signup = SessionError.unsupported(.signIn(endpoint: "login.signup", contract: "small"))
        #expect(await failure { try await session.signUp(email: "a@example.com", password: "p") } == signup)
        let code = SessionError.unsupported(.signIn(endpoint: "login.code", contract: "small"))
        #expect(await failure { try await session.requestEmailCode(email: "a@example.com") } == code)
        #expect(transport.unclaimed.isEmpty)
        #expect(session.state == .active)
        #expect(try await session.accessToken().value == "a0")
    }

    @Test(arguments: [
        (UnsupportedOperation.listSessions(contract: "x"), "sessions.list"),
        (.endSession(contract: "x"), "sessions.revoke"), (.signOutEverywhere(contract: "x"), "logoutAll"),
        (.signIn(endpoint: "login.apple", contract: "x"), "login.apple"),
        (.refresh, "refresh endpoint"),
    ])
    func `the error text of an unsupported operation names the missing endpoint and the remedy`(
        operation: UnsupportedOperation,
        missing: String
    ) {
        let text = "\(SessionError.unsupported(operation))"
        #expect(text.contains(missing))
        #expect(text.contains("add") || text.contains("Sign in again"))
        #expect(!text.contains("violates the contract"))
    }
}
