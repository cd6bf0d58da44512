// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Sockets of a session that another process has just ended` {
    let server = ServerUnderTest()

    /// The server's search for ended sessions may be faster than the test.
    private var withoutSearch: ServerEnvironment {
        var environment = ServerEnvironment()
        environment.runsService = { !($0 is RevocationPoller) }
        return environment
    }

    private func auth(_ token: String) -> String { #"{"type":"auth","access_token":"\#(token)"}"# }

    /// Ends a session in the database, without a word to the server.
    private func end(_ grant: SessionTokens, _ caller: TestHTTPClient) async throws {
        let user = try #require(UUID(uuidString: grant.user.id))
        _ = try await AdminService(database: caller.database, clock: server.readClock, authority: .command).end(
            of: user
        )
        try #require(!caller.parts.sessions.ended.contains(grant.sessionID))
    }

    @Test func `a handshake for a session that another process has ended is refused with 401`() async throws {
        try await server.run(environment: withoutSearch) { caller in
            let grant = try await caller.signUp()
            try await end(grant, caller)
            let client = try await caller.connect()
            let answer = try await client.open(
                NativePath.socket,
                ["Authorization": "Bearer \(grant.accessToken)"]
            )
            #expect(answer.status == 401)
            #expect(answer.body.contains("invalid_token"))
        }
    }

    @Test func `a socket is closed on its first message if another process has ended the session`() async throws {
        try await server.run(environment: withoutSearch) { caller in
            let grant = try await caller.signUp()
            let client = try await caller.connect()
            #expect(try await client.open(NativePath.socket).status == 101)
            try await end(grant, caller)
            await client.say(auth(grant.accessToken))
            #expect(await client.rest() == [.close(4401, "invalid_token")])
        }
    }

    @Test func `a socket is closed on a token renewal if another process has ended the session`() async throws {
        try await server.run(environment: withoutSearch) { caller in
            let grant = try await caller.signUp()
            let renewed: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            let client = try await caller.socket(grant.accessToken)
            try await end(grant, caller)
            await client.say(auth(renewed.accessToken))
            // The server has found the end, and tells every socket of the session.
            #expect(await client.rest().last == .close(4410, EndReason.revokedByOperator.rawValue))
        }
    }
}
