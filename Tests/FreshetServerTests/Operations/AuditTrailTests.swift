// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The audit trail` {
    let server = ServerUnderTest()

    /// The audit events of a session, and the streak of refreshes that is still in the session's row.
    private func events(of session: SessionID) throws -> (trail: [AuditEvent], run: AuditEvent?) {
        let database = try SQLiteDatabase(in: server.folder)
        defer { try? database.close() }
        return try database.readNow { database in
            let row = try SessionTable.find(session, in: database)
            return (
                try AuditTable.events(of: session, in: database),
                row.flatMap { row in row.run.map { AuditEvent($0, of: row) } }
            )
        }
    }

    @Test func `the audit trail has the history of a session that another session ended`() async throws {
        let device = Device(platform: "iOS", app: "com.example", appVersion: "1.2")
        let story = try await server.grants { caller in
            let first = try await caller.signUp(device: device)
            let second = try await caller.signIn()
            _ = try await caller.refresh(first.refreshToken, .random())
            let path = "\(NativePath.sessions)/\(first.sessionID)"
            #expect(try await caller.send(.delete, path, bearer: second.accessToken).status == 204)
            return [first, second]
        }
        let (trail, run) = try events(of: story[0].sessionID)
        let refreshes = try #require(run)
        #expect(trail.map(\.kind) == [.login, .ended])
        #expect(trail[0].client == "com.example 1.2 iOS" && refreshes.client == "com.example 1.2 iOS")
        #expect(refreshes.generation == 0 && refreshes.times == 1)
        #expect(trail[1].by == story[1].sessionID && trail[1].reason == .revokedByUser)
        #expect((trail + [refreshes]).allSatisfy { $0.source == "127.0.0.1" })
        let text = "\(trail) \(refreshes)"
        #expect(!text.contains(story[0].refreshToken) && !text.contains(story[0].accessToken))
    }

    @Test func `the audit trail has one row for a day's refreshes, and none for confirmations`() async throws {
        let days = 3
        let grants = try await server.grants { caller in
            let grant = try await caller.signUp()
            var token = grant.refreshToken
            for _ in 1...(days * 12) {
                token = try await caller.refresh(token, .random()).json(SessionTokens.self).refreshToken
                #expect(try await caller.present(NativePath.confirm, token).status == 204)
                server.advance(by: .seconds(7200))
            }
            return [grant]
        }
        let (trail, run) = try events(of: grants[0].sessionID)
        #expect(trail.map(\.kind) == [.login] + Array(repeating: .refresh, count: days - 1))
        #expect(trail.dropFirst().map(\.times) == Array(repeating: 12, count: days - 1))
        // The last day's is in the session's row.
        #expect(run?.times == 12 && run?.generation == UInt64(days * 12 - 1))
    }

    @Test func `the audit trail records a streak of refreshes when the session continues at another address`()
        async throws
    {
        var configuration = server.configuration
        configuration.signIn.trustedProxies = [try #require(AddressRange("127.0.0.0/8"))]
        let grants = GrantBox()
        try await server.run(configuration) { caller in
            let grant = try await caller.signUp()
            var token = grant.refreshToken
            for place in ["192.0.2.1", "192.0.2.1", "2001:db8::7"] {
                let body = RefreshRequest(refreshToken: token, intent: Intent.random().text)
                let answer = try await caller.post(NativePath.refresh, body, from: place)
                token = try answer.json(SessionTokens.self).refreshToken
            }
            grants.set([grant])
        }
        let (trail, run) = try events(of: try #require(grants.all.first).sessionID)
        #expect(trail.map(\.kind) == [.login, .refresh])
        #expect(trail.last?.source == "192.0.2.1" && trail.last?.times == 2)
        #expect(run?.source == "2001:db8::7" && run?.times == 1)
    }

    @Test func `the audit trail records a refused sign-in under its account`() async throws {
        _ = try await server.grants { caller in
            let grant = try await caller.signUp()
            let wrong = PasswordCredentials(email: "ann@example.com", password: "wrong horse")
            #expect(try await caller.post(NativePath.loginPassword, wrong).status == 400)
            return [grant]
        }
        let database = try SQLiteDatabase(in: server.folder)
        let kinds = try database.readNow { database in
            let user = try UserTable.find(try PasswordLogin.address("ann@example.com"), in: database)
            return try AuditTable.events(of: try #require(user).id, in: database).map(\.kind)
        }
        try database.close()
        #expect(kinds == [.login, .loginRefused])
    }

    @Test func `the audit trail records a token theft, and a repeated stale token only once`() async throws {
        let grants = try await server.grants { caller in
            let grant = try await caller.signUp()
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            #expect(try await caller.present(NativePath.confirm, next.refreshToken).status == 204)
            for _ in 1...5 {
                #expect(try await caller.refresh(grant.refreshToken, .random()).error == "409 superseded")
            }
            #expect(try await caller.refresh(next.refreshToken, .random()).status == 200)
            #expect(try await caller.refresh(next.refreshToken, .random()).error == "400 invalid_grant fork")
            return [grant]
        }
        let (events, run) = try events(of: grants[0].sessionID)
        #expect(events.filter { $0.outcome == "superseded" }.count == 1)
        #expect(events.suffix(2).map(\.kind) == [.refresh, .ended])
        #expect(events.last?.reason == .fork)
        #expect(run?.times == 2)
    }

    @Test func `the audit trail records the end of a session even if its queue has no room for other events`()
        async throws
    {
        var configuration = server.configuration
        configuration.operations.auditQueue = 0
        let grants = GrantBox()
        try await server.run(configuration) { caller in
            let grant = try await caller.signUp()
            _ = try await caller.refresh(grant.refreshToken, .random())
            #expect(try await caller.present(NativePath.logout, grant.refreshToken).status == 204)
            grants.set([grant])
        }
        let grant = try #require(grants.all.first)
        let (trail, run) = try events(of: grant.sessionID)
        #expect(trail.map(\.kind) == [.ended] && run?.times == 1)
    }
}

/// Carries grants out of a server's run.
final class GrantBox: Sendable {
    private let grants = NIOLockedValueBox<[SessionTokens]>([])

    var all: [SessionTokens] { grants.withLockedValue { $0 } }

    func set(_ new: [SessionTokens]) { grants.withLockedValue { $0 = new } }
}

extension ServerUnderTest {
    /// Runs a server, and hands out what the test signed in with, after it has stopped.
    func grants(_ body: @Sendable (TestHTTPClient) async throws -> [SessionTokens]) async throws -> [SessionTokens] {
        let box = GrantBox()
        try await run { caller in box.set(try await body(caller)) }
        return box.all
    }
}
