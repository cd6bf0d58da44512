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
@Suite(.timeLimit(.minutes(1)))
struct `Durability` {
    let server = ServerUnderTest()

    /// How many times `body` had the server force its commits to the disk before it answered.
    private func flushes(_ caller: Caller, _ body: () async throws -> Void) async throws -> Int {
        let before = caller.writes.flushes.load(ordering: .relaxed)
        try await body()
        return caller.writes.flushes.load(ordering: .relaxed) - before
    }

    @Test func `a sign-up, a login and a code are on disk before they are answered`() async throws {
        try await server.run { caller in
            #expect(try await flushes(caller) { _ = try await caller.signUp() } == 1)
            #expect(try await flushes(caller) { _ = try await caller.signIn() } == 1)
            let sent = try await caller.code(for: "bob@example.com")
            let verification = CodeVerification(attempt: sent.attempt, code: sent.code)
            let login = try await flushes(caller) {
                #expect(try await caller.post(NativePath.loginCodeVerify, verification).status == 200)
            }
            #expect(login == 1)
        }
    }

    @Test func `a logout, a revocation and an end by theft are on disk before they are answered`() async throws {
        try await server.run { caller in
            let grants = [try await caller.signUp(), try await caller.signIn(), try await caller.signIn()]
            let logout = try await flushes(caller) {
                #expect(try await caller.present(NativePath.logout, grants[1].refreshToken).status == 204)
            }
            #expect(logout == 1)
            let path = "\(NativePath.sessions)/\(grants[2].sessionID)"
            let revocation = try await flushes(caller) {
                #expect(try await caller.send(.delete, path, bearer: grants[0].accessToken).status == 204)
            }
            #expect(revocation == 1)

            _ = try await caller.refresh(grants[0].refreshToken, .random())
            let fork = try await flushes(caller) {
                let answer = try await caller.refresh(grants[0].refreshToken, .random())
                #expect(answer.error == "400 invalid_grant fork")
            }
            #expect(fork == 1)

            let last = try await caller.signIn()
            let everywhere = try await flushes(caller) {
                #expect(try await caller.send(.post, NativePath.logoutAll, bearer: last.accessToken).status == 204)
            }
            #expect(everywhere == 1)
        }
    }

    @Test func `a refresh, its repeat and a confirmation wait for no disk`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let count = try await flushes(caller) {
                let intent = Intent.random()
                let next: Grant = try await caller.refresh(grant.refreshToken, intent).json()
                #expect(try await caller.refresh(grant.refreshToken, intent).status == 200)
                #expect(try await caller.present(NativePath.confirm, next.refreshToken).status == 204)
                #expect(try await caller.refresh(grant.refreshToken, intent).error == "409 superseded")
            }
            #expect(count == 0)
            #expect(caller.writes.commits.load(ordering: .relaxed) > 0)
        }
    }
}
