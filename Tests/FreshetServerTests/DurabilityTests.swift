// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Synchronization
import Testing

@testable import FreshetServer

/// What is on disk when it is answered.
@Suite(.timeLimit(.minutes(5)))
struct `Durability` {
    let server = ServerUnderTest()

    /// How many times the server forced its commits to the disk before it answered as it should.
    private func flushes(
        _ caller: Caller,
        _ answer: String,
        _ request: () async throws -> Caller.Answer
    ) async throws -> Int {
        let before = caller.database.flushes
        let answered = try await request()
        #expect(answered.error == answer)
        return caller.database.flushes - before
    }

    private let credentials = PasswordCredentials(email: "ann@example.com", password: "correct horse")

    @Test func `a sign-up, a login and a code are on disk before they are answered`() async throws {
        try await server.run { caller in
            let signUp = try await flushes(caller, "201") { try await caller.post(NativePath.signup, credentials) }
            #expect(signUp == 1)
            let login = try await flushes(caller, "200") {
                try await caller.post(NativePath.loginPassword, credentials)
            }
            #expect(login == 1)
            let sent = try await caller.code(for: "bob@example.com")
            let verification = CodeVerification(attempt: sent.attempt, code: sent.code)
            let code = try await flushes(caller, "200") {
                try await caller.post(NativePath.loginCodeVerify, verification)
            }
            #expect(code == 1)
        }
    }

    @Test func `a logout, a revocation and an end by theft are on disk before they are answered`() async throws {
        try await server.run { caller in
            let grants = [try await caller.signUp(), try await caller.signIn(), try await caller.signIn()]
            let logout = try await flushes(caller, "204") {
                try await caller.present(NativePath.logout, grants[1].refreshToken)
            }
            #expect(logout == 1)
            let path = "\(NativePath.sessions)/\(grants[2].sessionID)"
            let revocation = try await flushes(caller, "204") {
                try await caller.send(.delete, path, bearer: grants[0].accessToken)
            }
            #expect(revocation == 1)

            _ = try await caller.refresh(grants[0].refreshToken, .random())
            let fork = try await flushes(caller, "400 invalid_grant fork") {
                try await caller.refresh(grants[0].refreshToken, .random())
            }
            #expect(fork == 1)

            let last = try await caller.signIn()
            let everywhere = try await flushes(caller, "204") {
                try await caller.send(.post, NativePath.logoutAll, bearer: last.accessToken)
            }
            #expect(everywhere == 1)
        }
    }

    @Test func `a refresh, its repeat and a confirmation wait for no disk`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let before = caller.database.flushes
            let intent = Intent.random()
            let next: Grant = try await caller.refresh(grant.refreshToken, intent).json()
            #expect(try await caller.refresh(grant.refreshToken, intent).status == 200)
            #expect(try await caller.present(NativePath.confirm, next.refreshToken).status == 204)
            #expect(try await caller.refresh(grant.refreshToken, intent).error == "409 superseded")
            #expect(caller.database.flushes == before)
        }
    }
}
