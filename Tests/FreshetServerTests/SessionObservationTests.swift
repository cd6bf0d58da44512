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
struct `The observer of a session registry` {
    let server = ServerUnderTest()
    private let observations = NIOLockedValueBox<[SessionObservation]>([])

    private func observed(_ registry: SessionRegistry) -> SessionRegistry {
        var registry = registry
        registry.observer = { [observations] observation in observations.withLockedValue { $0.append(observation) } }
        return registry
    }

    private var decisions: [SessionObservation.Decision] {
        observations.withLockedValue { $0 }.compactMap { if case .decided(let found) = $0 { found } else { nil } }
    }

    @Test func `a server that is not simulated has no session observer`() async throws {
        try await server.run { caller in #expect(caller.parts.sessions.observer == nil) }
    }

    @Test func `a session observer receives every decision with the rows before and after it`() async throws {
        try await server.run { caller in
            let sessions = observed(caller.parts.sessions)
            let first = try RefreshToken(try await caller.signUp().refreshToken)
            let intent = Intent.random()
            let refresh = TokenRequest(.refresh(intent: intent.text), token: first)
            let second = try RefreshToken(try #require(try await sessions.present(refresh)).refreshToken)
            _ = try await present(TokenRequest(.confirm, token: second), sessions)
            // The first attempt is answered by the writer, the others by a read.
            for _ in 1...2 { await #expect(throws: APIError.self) { try await sessions.present(refresh) } }
            await #expect(throws: APIError.self) { try await present(refresh, sessions) }
            _ = try await sessions.present(TokenRequest(.logout, token: second))

            let found = decisions
            #expect(found.map(\.operation.name) == ["refresh", "confirm", "refresh", "refresh", "refresh", "logout"])
            #expect(found.map(\.token) == [first, second, first, first, first, second])
            #expect(found.first?.intent == IntentHash(intent))
            #expect(found.first?.decision.answer == .served(second, .bound))
            #expect(found.allSatisfy { $0.idleLifetime == caller.parts.configuration.lifetimes.idle })
            #expect(found.allSatisfy { $0.currentKeyID == sessions.keys.currentID })
            for (earlier, later) in zip(found, found.dropFirst()) {
                #expect(later.before == earlier.decision.row ?? earlier.before)
            }
            #expect(found.last?.decision.row?.ending?.reason == .logout)
            #expect(found.last?.decision.mustBeDurable == true)
        }
    }

    @Test func `a session observer receives sign-ins, and the end of a session by a logout everywhere`() async throws {
        try await server.run { caller in
            let sessions = observed(caller.parts.sessions)
            _ = try await caller.signUp()
            let address = try PasswordLogin.address("ann@example.com")
            let user = try #require(try await caller.database.read { try UserTable.find(address, in: $0) })
            let start = sessions.start(for: user, sessionPolicy: .native, device: Device())
            let row = start.row
            let opening = try await caller.database.durably { try sessions.open(start, of: user, in: $0) }
            _ = try sessions.grant(opening)
            sessions.publishEnd(of: [row.id], user.id, .logoutAll, at: row.createdAt)
            let found = observations.withLockedValue { $0 }
            try #require(found.count == 2)
            if case .opened(let opened) = found[0] { #expect(opened == row) } else { Issue.record("\(found)") }
            guard case .ended(let ids, let reason, let time) = found[1] else {
                Issue.record("\(found)")
                return
            }
            #expect(ids == [row.id])
            #expect(reason == .logoutAll)
            #expect(time == row.createdAt)
        }
    }

    @Test func `a session observer receives a decision whose commit is not known as undetermined`() async throws {
        try await server.run { caller in
            let registry = caller.parts.sessions
            let sessions = observed(registry.using(DatabaseWithLostOutcomes(caller.database)))
            let first = try RefreshToken(try await caller.signUp().refreshToken)
            let refresh = TokenRequest(.refresh(intent: Intent.random().text), token: first)
            await #expect(throws: SQLError.self) { try await sessions.present(refresh) }
            guard case .undetermined(let lost, hasFlushFailed: false)? = observations.withLockedValue(\.first) else {
                Issue.record("\(observations.withLockedValue { $0 })")
                return
            }
            #expect(lost.token == first && lost.decision.row?.rotation.intent == lost.intent)
            // It was committed: the same intent gets the same successor.
            let successor = try #require(try await registry.present(refresh)).refreshToken
            if case .served(let decided, _) = lost.decision.answer {
                #expect(decided.text == successor)
            } else {
                Issue.record("\(lost.decision.answer)")
            }
        }
    }

    private func present(_ request: TokenRequest, _ sessions: SessionRegistry) async throws -> SessionTokens? {
        try await withCheckedThrowingContinuation { continuation in
            sessions.present(request, on: { $0() }) { continuation.resume(with: $0) }
        }
    }
}

/// A database that commits changes of sessions, and loses the connection before it says so.
private final class DatabaseWithLostOutcomes: ForwardingDatabase {
    let base: any ServerDatabase

    init(_ base: any ServerDatabase) { self.base = base }

    func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        base.change(id, decide) { _ in completion(.failure(SQLError.connectionLost("the connection ended"))) }
    }
}
