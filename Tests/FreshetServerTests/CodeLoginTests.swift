// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetMail
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Login by code` {
    let server = ServerUnderTest()

    private func verify(_ caller: TestHTTPClient, _ sent: (attempt: String, code: String), _ intent: Intent? = nil)
        async throws -> TestHTTPClient.Answer
    {
        try await caller.post(
            NativePath.loginCodeVerify,
            CodeVerification(attempt: sent.attempt, code: sent.code, device: Device(name: "d"), intent: intent?.text)
        )
    }

    @Test func `the first code for an email address creates the account, and the next code signs in to it`()
        async throws
    {
        try await server.run { caller in
            let first: SessionTokens = try await verify(caller, caller.code(for: "Ann@example.com")).json()
            let second: SessionTokens = try await verify(caller, caller.code(for: "ann@EXAMPLE.com")).json()
            #expect(first.user == second.user)
            #expect(first.sessionID != second.sessionID)
            #expect(try await caller.refresh(first.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a login code is accepted only once`() async throws {
        try await server.run { caller in
            let sent = try await caller.code(for: "ann@example.com")
            #expect(try await verify(caller, sent).status == 200)
            #expect(try await verify(caller, sent).error == "400 invalid_grant")
        }
    }

    @Test func `a lost login response is repeated for the same intent until the session is refreshed`() async throws {
        try await server.run { caller in
            let sent = try await caller.code(for: "ann@example.com")
            let intent = Intent.random()
            let first: SessionTokens = try await verify(caller, sent, intent).json()
            let again: SessionTokens = try await verify(caller, sent, intent).json()
            #expect(again.sessionID == first.sessionID)
            #expect(again.refreshToken == first.refreshToken)
            #expect(try await verify(caller, sent, .random()).error == "400 invalid_grant")

            _ = try await caller.refresh(first.refreshToken, .random())
            #expect(try await verify(caller, sent, intent).error == "400 invalid_grant")
        }
    }

    @Test func `a login attempt is invalid after five wrong codes`() async throws {
        try await server.run { caller in
            let sent = try await caller.code(for: "ann@example.com")
            let wrong = sent.code == "000000" ? "000001" : "000000"
            for _ in 0..<5 {
                #expect(try await verify(caller, (sent.attempt, wrong)).error == "400 invalid_grant")
            }
            #expect(try await verify(caller, sent).error == "400 invalid_grant")
        }
    }

    @Test func `a new login code cancels the old one, and a code is valid only for its own attempt`() async throws {
        try await server.run { caller in
            let old = try await caller.code(for: "ann@example.com")
            let new = try await caller.code(for: "ann@example.com")
            let other = try await caller.code(for: "bob@example.com")
            #expect(try await verify(caller, old).error == "400 invalid_grant")
            if other.code != new.code {
                #expect(try await verify(caller, (new.attempt, other.code)).error == "400 invalid_grant")
            }
            #expect(try await verify(caller, new).status == 200)
        }
    }

    @Test func `a used login code with an unreadable session is a server error, not accepted again`() async throws {
        try await server.run { caller in
            let sent = try await caller.code(for: "ann@example.com")
            #expect(try await verify(caller, sent).status == 200)
            try await server.openDatabase().write {
                try $0.execute(sql: "UPDATE code_attempts SET session = x'00'")
            }
            #expect(try await verify(caller, sent).error == "500 server_error")
        }
    }

    @Test func `a login code expires after ten minutes`() async throws {
        try await server.run { caller in
            let sent = try await caller.code(for: "ann@example.com")
            server.advance(by: .seconds(600))
            #expect(try await verify(caller, sent).error == "400 invalid_grant")
        }
    }

    @Test func `a code request gets the same response for known and unknown email addresses`() async throws {
        try await server.run { caller in
            _ = try await caller.signUp()
            for email in ["ann@example.com", "nobody@example.com"] {
                let answer = try await caller.post(NativePath.loginCode, CodeRequest(email: email))
                #expect(answer.status == 202)
                #expect(try answer.json(CodeAttempt.self).expiresIn == 600)
            }
        }
    }

    @Test func `the owner of an email address who logs in by code takes over the account and ends its other sessions`()
        async throws
    {
        try await server.run { caller in
            let thief = try await caller.signUp()
            let owner: SessionTokens = try await verify(caller, caller.code(for: "ann@example.com")).json()
            #expect(owner.user == thief.user)

            let password = PasswordCredentials(email: "ann@example.com", password: "correct horse")
            #expect(try await caller.post(NativePath.loginPassword, password).error == "400 invalid_grant")
            let refresh = try await caller.refresh(thief.refreshToken, .random())
            #expect(refresh.error == "400 invalid_grant revoked_by_user")
            let me = try await caller.send(.get, NativePath.me, bearer: thief.accessToken)
            #expect(me.error == "401 invalid_token")
            #expect(caller.log.lines.contains { $0["reason"] == "revoked_by_user" })

            // From now on all that is signed in is the owner's.
            let second: SessionTokens = try await verify(caller, caller.code(for: "ann@example.com")).json()
            #expect(try await caller.refresh(owner.refreshToken, .random()).status == 200)
            #expect(try await caller.refresh(second.refreshToken, .random()).status == 200)
            #expect(try await caller.post(NativePath.signup, password).error == "409 conflict")
        }
    }

    @Test func `a login is refused when its password is removed during the check`() async throws {
        try await server.run { caller in
            _ = try await caller.signUp()
            let other = try server.openDatabase()
            let password = PasswordCredentials(email: "ann@example.com", password: "correct horse")
            try await other.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN IMMEDIATE; UPDATE users SET password = NULL")
            }
            var readings = server.clockReadings().makeAsyncIterator()
            async let answer = caller.post(NativePath.loginPassword, password)
            // One for the budget, one for the session that follows the check.
            for _ in 1...2 { await readings.next() }
            try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            let error = try await answer.error
            #expect(error == "400 invalid_grant")
        }
    }

    @Test func `a server without mail refuses login by code with 404`() async throws {
        var configuration = server.configuration
        configuration.mail = .none
        try await server.run(configuration) { caller in
            let answer = try await caller.post(NativePath.loginCode, CodeRequest(email: "a@b"))
            #expect(answer.error == "404 not_found")
        }
    }

    @Test func `the database holds neither codes, intents, passwords nor refresh tokens`() async throws {
        try await server.run { caller in
            let sent = try await caller.code(for: "ann@example.com")
            let intent = Intent.random()
            let grant: SessionTokens = try await verify(caller, sent, intent).json()
            let bound = Intent.random()
            _ = try await caller.refresh(grant.refreshToken, bound)
            _ = try await caller.signUp("bob@example.com")
            let bytes = try server.databaseBytes()
            for secret in [Array(sent.code.utf8), intent.bytes, bound.bytes, Array("correct horse".utf8)] {
                #expect(bytes.firstRange(of: secret) == nil)
            }
            #expect(bytes.firstRange(of: try RefreshToken(grant.refreshToken).mac) == nil)
            #expect(bytes.firstRange(of: Array("ann@example.com".utf8)) != nil)
        }
    }
}
