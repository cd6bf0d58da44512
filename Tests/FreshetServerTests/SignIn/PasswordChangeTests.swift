// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Password changes` {
    let server = ServerUnderTest()

    private func change(_ caller: TestHTTPClient, _ update: PasswordUpdate, _ grant: SessionTokens? = nil) async throws
        -> String
    {
        try await caller.post(NativePath.password, update, bearer: grant?.accessToken).error
    }

    @Test func `a password change needs the current one, ends other sessions on request, and is mailed`()
        async throws
    {
        try await server.run { caller async throws in
            let other = try await caller.signUp()
            let own = try await caller.signIn()
            let wrong = PasswordUpdate(newPassword: "better horse", currentPassword: "wrong horse")
            #expect(try await change(caller, wrong, own) == "400 invalid_grant")
            let without = PasswordUpdate(newPassword: "better horse")
            #expect(try await change(caller, without, own) == "403 step_up_required")
            #expect(try await change(caller, without) == "401 invalid_token")
            #expect(!caller.log.messages.contains("password changed"))

            let right = PasswordUpdate(newPassword: "better horse", currentPassword: "correct horse")
            #expect(try await change(caller, right, own) == "204")
            #expect(caller.log.messages.contains("password changed"))
            #expect(try await caller.signIn(password: "correct horse").error == "400 invalid_grant")
            #expect(try await caller.signIn(password: "better horse").status == 200)
            #expect(try await caller.refresh(other.refreshToken, .random()).status == 200)

            let ending = PasswordUpdate(
                newPassword: "best horse",
                currentPassword: "better horse",
                endOtherSessions: true
            )
            #expect(try await change(caller, ending, own) == "204")
            #expect(try await caller.sessions(own).map(\.id) == [own.sessionID])
        }
    }

    @Test func `a new password that is short, too long, common or the account's address is refused`() async throws {
        try await server.run { caller async throws in
            let own = try await caller.signUp()
            for password in [
                "short", "password", "Password123!", "QWERTYUIOP", "iloveyou1", "12345678", "ann@example.com",
                String(repeating: "x", count: 257),
            ] {
                let update = PasswordUpdate(newPassword: password, currentPassword: "correct horse")
                #expect(try await change(caller, update, own) == "400 invalid_request")
                let credentials = PasswordCredentials(email: "c@example.com", password: password)
                if password != "ann@example.com" {
                    #expect(try await caller.post(NativePath.signup, credentials).error == "400 invalid_request")
                }
            }
            // Long ones and any characters are fine, and nothing is cut.
            let long = String(repeating: "å horse ", count: 25)
            let update = PasswordUpdate(newPassword: long, currentPassword: "correct horse")
            #expect(try await change(caller, update, own) == "204")
            #expect(try await caller.signIn(password: String(long.dropLast())).error == "400 invalid_grant")
            #expect(try await caller.signIn(password: long).status == 200)
        }
        #expect((3000...10_000).contains(CommonPasswords.count))
    }

    @Test func `a mailed code resets the password once, and the reset ends every session`() async throws {
        try await server.run { caller async throws in
            let before = try await caller.signUp()
            let asked = try await caller.post(NativePath.passwordReset, CodeRequest(email: "ann@example.com"))
            #expect(asked.status == 202)
            let sent = try #require(caller.sentCode("reset code"))
            #expect(try asked.json(CodeAttempt.self).attempt == sent.attempt)

            // It is no code to sign in with.
            let login = CodeVerification(attempt: sent.attempt, code: sent.code)
            #expect(try await caller.post(NativePath.loginCodeVerify, login).error == "400 invalid_grant")
            // A password that will not do costs nothing but the answer.
            let weak = PasswordUpdate(newPassword: "password1", attempt: sent.attempt, code: sent.code)
            #expect(try await change(caller, weak) == "400 invalid_request")
            let update = PasswordUpdate(newPassword: "better horse", attempt: sent.attempt, code: sent.code)
            #expect(try await change(caller, update) == "204")
            #expect(try await change(caller, update) == "400 invalid_grant")
            #expect(caller.log.messages.contains("password changed"))

            let ended = try await caller.refresh(before.refreshToken, .random())
            #expect(ended.error == "400 invalid_grant revoked_by_user")
            #expect(try await caller.signIn(password: "correct horse").error == "400 invalid_grant")
            #expect(try await caller.signIn(password: "better horse").status == 200)
        }
    }

    @Test func `a password is not reset by a sign-in code, or by the right code after five wrong ones`() async throws {
        try await server.run { caller async throws in
            _ = try await caller.signUp()
            let login = try await caller.code(for: "ann@example.com")
            let misused = PasswordUpdate(newPassword: "better horse", attempt: login.attempt, code: login.code)
            #expect(try await change(caller, misused) == "400 invalid_grant")
            _ = try await caller.post(NativePath.passwordReset, CodeRequest(email: "ann@example.com"))
            let sent = try #require(caller.sentCode("reset code"))
            let guess = sent.code == "000000" ? "000001" : "000000"
            for _ in 1...5 {
                let wrong = PasswordUpdate(newPassword: "better horse", attempt: sent.attempt, code: guess)
                #expect(try await change(caller, wrong) == "400 invalid_grant")
            }
            let right = PasswordUpdate(newPassword: "better horse", attempt: sent.attempt, code: sent.code)
            #expect(try await change(caller, right) == "400 invalid_grant")
            #expect(try await caller.signIn(password: "correct horse").status == 200)
        }
    }

    @Test func `a first password is set only by a client that signed in just now`() async throws {
        try await server.run { caller async throws in
            let sent = try await caller.code(for: "ann@example.com")
            let verification = CodeVerification(attempt: sent.attempt, code: sent.code)
            let own: SessionTokens = try await caller.post(NativePath.loginCodeVerify, verification).json()
            #expect(try await caller.sessions(own).map(\.signedInBy) == ["code"])
            server.advance(by: .seconds(590))
            let late: SessionTokens = try await caller.refresh(own.refreshToken, .random()).json()
            server.advance(by: .seconds(20))
            let answer = try await caller.post(
                NativePath.password,
                PasswordUpdate(newPassword: "better horse"),
                bearer: late.accessToken
            )
            // A refreshed token is no fresher than the sign-in.
            #expect(answer.error == "403 step_up_required")
            #expect(answer.headers[.wwwAuthenticate]?.contains("insufficient_user_authentication") == true)

            let again = try await caller.code(for: "ann@example.com")
            let fresh = CodeVerification(attempt: again.attempt, code: again.code)
            let grant: SessionTokens = try await caller.post(NativePath.loginCodeVerify, fresh).json()
            #expect(try await change(caller, PasswordUpdate(newPassword: "better horse"), grant) == "204")
            #expect(try await caller.signIn(password: "better horse").status == 200)
        }
    }
}
