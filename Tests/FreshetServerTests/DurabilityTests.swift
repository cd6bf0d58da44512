// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetDatabase
@testable import FreshetServer

/// The data that is on disk when the server responds.
@Suite(.timeLimit(.minutes(5)))
struct `Durability` {
    let server = ServerUnderTest()

    /// How many times the server forced its commits to the disk before it answered as it should.
    private func flushes(
        _ caller: TestHTTPClient,
        _ answer: String,
        _ request: () async throws -> TestHTTPClient.Answer
    ) async throws -> Int {
        let before = caller.database.flushes
        let answered = try await request()
        #expect(answered.error == answer)
        return caller.database.flushes - before
    }

    private let credentials = PasswordCredentials(email: "ann@example.com", password: "correct horse")

    @Test func `a sign-up, a password login and a code login are flushed to disk before the response`() async throws {
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

    @Test func `a logout, a revocation and the end of a forked session are flushed to disk before the response`()
        async throws
    {
        try await server.run { caller in
            let grants = [try await caller.signUp(), try await caller.signIn(), try await caller.signIn()]
            let logout = try await flushes(caller, "204") {
                try await caller.present(NativePath.logout, grants[1].refreshToken)
            }
            #expect(logout == 1)
            // An end that is told again may have been left by a failed flush.
            for token in [grants[1].refreshToken, grants[1].accessToken] {
                let revocation = try await flushes(caller, "200") {
                    let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                    return try await caller.send(.post, NativePath.oauthRevoke, "token=\(token)", headers: form)
                }
                #expect(revocation == (token == grants[1].accessToken ? 1 : 0))
            }
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

    @Test
    func `a plain session's switch to intents is flushed to disk before the response, its other refreshes are not`()
        async throws
    {
        let wharf = try ServedContract(text: ContractFixture.wharf)
        try await server.run(server.configuration(wharf)) { caller async throws in
            _ = try await caller.signUp()
            let login = try await caller.post(
                "/login",
                json: #"{"email":"ann@example.com","password":"correct horse"}"#
            )
            let first = try #require(login["/refresh_token"])
            let before = caller.database.flushes
            let plain = try await caller.post("/refresh", json: #"{"refresh_token":"\#(first)"}"#)
            let token = try #require(plain["/refresh_token"])
            #expect(caller.database.flushes == before)

            let intent = Intent.random()
            let step = try await caller.refresh(token, intent)
            #expect(step.status == 200 && caller.database.flushes == before + 1)
            #expect(try await caller.refresh(token, intent).status == 200)
            let next = try await caller.refresh(step.json(SessionTokens.self).refreshToken, .random())
            #expect(next.status == 200 && caller.database.flushes == before + 1)
            // It ended no session, and no client is told that one ended.
            #expect(!server.log.messages.contains("session ended"))
        }
    }

    @Test func `a retry is answered after the commit of an earlier process is on disk`() async throws {
        var configuration = server.configuration
        configuration.database = nil
        try await server.run(configuration) { caller in
            let database = try #require(caller.database as? SQLiteDatabase)
            let grant = try await caller.signUp()
            let intent = Intent.random()
            // An earlier process may have been killed after its flush failed.
            database.trust.becameUnknown()
            let first = try await flushes(caller, "200") { try await caller.refresh(grant.refreshToken, intent) }
            #expect(first == 0)
            let second = try await flushes(caller, "200") { try await caller.refresh(grant.refreshToken, intent) }
            #expect(second == 1 && !database.mayLoseCommits)
            let third = try await flushes(caller, "200") { try await caller.refresh(grant.refreshToken, intent) }
            #expect(third == 0)
        }
    }

    @Test func `a commit whose flush failed is flushed before the next write completes`() async throws {
        var configuration = server.configuration
        configuration.database = nil
        try await server.run(configuration) { caller in
            let database = try #require(caller.database as? SQLiteDatabase)
            let writer = NIOLockedValueBox<SQLiteConnection?>(nil)
            func write(durably: Bool, _ sql: String) async -> Bool {
                await withCheckedContinuation { done in
                    database.writes.enqueue({ connection in
                        writer.withLockedValue { $0 = connection }
                        return WriteResult(value: try connection.execute(sql), durability: durably ? .write : .none)
                    }) { result in
                        // On the writer's thread: the disk takes writes again.
                        _ = try? writer.withLockedValue { $0 }?.execute("PRAGMA query_only = OFF")
                        done.resume(returning: (try? result.get()) != nil)
                    }
                }
            }
            let before = caller.database.flushes
            // The commit succeeds, and the flush after it cannot.
            #expect(await !write(durably: true, "PRAGMA query_only = ON"))
            #expect(caller.database.flushes == before)
            for _ in 0..<2 {
                #expect(await write(durably: false, "DELETE FROM spent_proofs"))
                #expect(caller.database.flushes == before + 1)
            }
        }
    }

    @Test func `a refresh, its retry and a confirmation cause no flush to disk`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let before = caller.database.flushes
            let intent = Intent.random()
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, intent).json()
            #expect(try await caller.refresh(grant.refreshToken, intent).status == 200)
            #expect(try await caller.present(NativePath.confirm, next.refreshToken).status == 204)
            #expect(try await caller.refresh(grant.refreshToken, intent).error == "409 superseded")
            #expect(caller.database.flushes == before)
        }
    }
}
