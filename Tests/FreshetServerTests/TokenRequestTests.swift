// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A refresh token presented with a completion` {
    let server = ServerUnderTest()

    @Test func `a completion receives the result of every operation, also for a superseded token`() async throws {
        try await server.run { caller in
            let sessions = caller.parts.sessions
            let first = try await caller.signUp()
            let intent = Intent.random().text
            let second = try #require(
                try await present(TokenRequest(.refresh(intent: intent), token: first.refreshToken), sessions)
            )
            #expect(second.sessionID == first.sessionID)
            #expect(try await present(TokenRequest(.confirm, token: second.refreshToken), sessions) == nil)
            // The first attempt takes a turn of the writer, the second one is answered by a read.
            for _ in 1...2 {
                let error = await #expect(throws: APIError.self) {
                    try await present(TokenRequest(.refresh(intent: intent), token: first.refreshToken), sessions)
                }
                #expect(error?.code == .superseded)
            }
            let invalid = await #expect(throws: APIError.self) {
                try await present(TokenRequest(.refresh(intent: "short"), token: second.refreshToken), sessions)
            }
            #expect(invalid?.code == .invalidRequest)
            // The token is known to be superseded, but a logout has something to write.
            #expect(try await present(TokenRequest(.logout, token: first.refreshToken), sessions) == nil)
            let over = await #expect(throws: APIError.self) {
                try await present(TokenRequest(.refresh(intent: intent), token: second.refreshToken), sessions)
            }
            #expect(over?.reason == .logout)
        }
    }

    @Test func `a session end whose commit may be lost is reported through a write instead of a read`() async throws {
        try await server.run { caller in
            let database = DatabaseInDoubt(caller.database)
            let sessions = caller.parts.sessions.using(database)
            let first = try await caller.signUp()
            let intent = Intent.random().text
            let refresh = try TokenRequest(.refresh(intent: intent), token: first.refreshToken)
            let second = try #require(try await present(refresh, sessions))
            #expect(try await present(TokenRequest(.confirm, token: second.refreshToken), sessions) == nil)
            _ = await #expect(throws: APIError.self) { try await present(refresh, sessions) }
            #expect(try await present(TokenRequest(.logout, token: second.refreshToken), sessions) == nil)
            for (isInDoubt, writes) in [(false, 0), (true, 1)] {
                database.isInDoubt.withLockedValue { $0 = isInDoubt }
                for isSuspending in [false, true] {
                    let before = database.changes.withLockedValue { $0 }
                    let over = await #expect(throws: APIError.self) {
                        _ = try await isSuspending ? sessions.present(refresh) : present(refresh, sessions)
                    }
                    #expect(over?.reason == .logout)
                    #expect(database.changes.withLockedValue { $0 } - before == writes)
                }
            }
        }
    }

    @Test func `a repeat whose commit may be lost is answered through a write instead of a read`() async throws {
        try await server.run { caller in
            let database = DatabaseInDoubt(caller.database)
            let sessions = caller.parts.sessions.using(database)
            let first = try await caller.signUp()
            let refresh = try TokenRequest(.refresh(intent: Intent.random().text), token: first.refreshToken)
            let second = try #require(try await present(refresh, sessions))
            // As a token of the same generation that was replaced in plain mode: both have one entry.
            sessions.supersededTokens.insert(refresh.token)
            for (isInDoubt, writes) in [(false, 0), (true, 1)] {
                database.isInDoubt.withLockedValue { $0 = isInDoubt }
                for isSuspending in [false, true] {
                    let before = database.changes.withLockedValue { $0 }
                    let again = try await isSuspending ? sessions.present(refresh) : present(refresh, sessions)
                    #expect(again?.refreshToken == second.refreshToken)
                    #expect(database.changes.withLockedValue { $0 } - before == writes)
                }
            }
        }
    }

    private func present(_ request: TokenRequest, _ sessions: SessionRegistry) async throws -> SessionTokens? {
        try await withCheckedThrowingContinuation { continuation in
            sessions.present(request, on: { $0() }) { continuation.resume(with: $0) }
        }
    }
}

/// A database that counts changes of sessions, and whose commits may be undone by a power failure.
private final class DatabaseInDoubt: ForwardingDatabase {
    let base: any ServerDatabase
    let isInDoubt = NIOLockedValueBox(false)
    let changes = NIOLockedValueBox(0)

    init(_ base: any ServerDatabase) { self.base = base }

    var mayLoseCommits: Bool { isInDoubt.withLockedValue { $0 } }

    func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        changes.withLockedValue { $0 += 1 }
        base.change(id, decide, completion: completion)
    }
}
