// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A refresh token presented with a completion` {
    let server = ServerUnderTest()

    @Test func `a completion receives the outcome of every operation, of a superseded token twice`() async throws {
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

    private func present(_ request: TokenRequest, _ sessions: SessionRegistry) async throws -> SessionTokens? {
        try await withCheckedThrowingContinuation { continuation in
            sessions.present(request, on: { $0() }) { continuation.resume(with: $0) }
        }
    }
}
