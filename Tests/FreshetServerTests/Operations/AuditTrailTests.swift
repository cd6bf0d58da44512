// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The audit trail` {
    let server = ServerUnderTest()

    private func events(of session: SessionID) throws -> [AuditEvent] {
        let database = try SQLiteDatabase(in: server.folder)
        defer { try? database.close() }
        return try database.readNow { try AuditTable.events(of: session, in: $0) }
    }

    @Test func `tells the story of a session that was ended from another one`() async throws {
        let device = Device(platform: "iOS", app: "com.example", appVersion: "1.2")
        let story = try await server.grants { caller in
            let first = try await caller.signUp(device: device)
            let second = try await caller.signIn()
            _ = try await caller.refresh(first.refreshToken, .random())
            let path = "\(NativePath.sessions)/\(first.sessionID)"
            #expect(try await caller.send(.delete, path, bearer: second.accessToken).status == 204)
            return [first, second]
        }
        let events = try events(of: story[0].sessionID)
        #expect(events.map(\.kind) == [.login, .refresh, .ended])
        #expect(events[0].client == "com.example 1.2 iOS")
        #expect(events[1].generation == 0 && events[1].outcome == "bound")
        #expect(events[2].by == story[1].sessionID && events[2].reason == .revokedByUser)
        #expect(events.allSatisfy { $0.source == "127.0.0.1" })
        let text = "\(events)"
        #expect(!text.contains(story[0].refreshToken) && !text.contains(story[0].accessToken))
    }

    @Test func `has one row for a day's refreshes, however many, and none for confirmations`() async throws {
        let days = 3
        let grants = try await server.grants { caller in
            let grant = try await caller.signUp()
            var token = grant.refreshToken
            for number in 1...(days * 12) {
                token = try await caller.refresh(token, .random()).json(Grant.self).refreshToken
                #expect(try await caller.present(NativePath.confirm, token).status == 204)
                server.advance(by: .seconds(7200))
                // What is written in several batches is one run all the same.
                if number % 5 == 0 { await caller.parts.audit.write() }
            }
            return [grant]
        }
        let events = try events(of: grants[0].sessionID)
        #expect(events.map(\.kind) == [.login] + Array(repeating: .refresh, count: days))
        #expect(events.dropFirst().map(\.times) == Array(repeating: 12, count: days))
        #expect(events.last?.generation == UInt64(days * 12 - 1))
    }

    @Test func `keeps a refused sign-in with its account`() async throws {
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

    @Test func `has a theft, and one row for a stale token however often it comes`() async throws {
        let grants = try await server.grants { caller in
            let grant = try await caller.signUp()
            let next: Grant = try await caller.refresh(grant.refreshToken, .random()).json()
            #expect(try await caller.present(NativePath.confirm, next.refreshToken).status == 204)
            for _ in 1...5 {
                #expect(try await caller.refresh(grant.refreshToken, .random()).error == "409 superseded")
            }
            #expect(try await caller.refresh(next.refreshToken, .random()).status == 200)
            #expect(try await caller.refresh(next.refreshToken, .random()).error == "400 invalid_grant fork")
            return [grant]
        }
        let events = try events(of: grants[0].sessionID)
        #expect(events.filter { $0.outcome == "superseded" }.count == 1)
        #expect(events.suffix(2).map(\.kind) == [.refresh, .ended])
        #expect(events.last?.reason == .fork)
    }

    @Test func `keeps endings when it has no room for refreshes, and counts what it dropped`() async throws {
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
        #expect(try events(of: grant.sessionID).map(\.kind) == [.ended])
    }
}

/// Carries grants out of a server's run.
final class GrantBox: Sendable {
    private let grants = NIOLockedValueBox<[Grant]>([])

    var all: [Grant] { grants.withLockedValue { $0 } }

    func set(_ new: [Grant]) { grants.withLockedValue { $0 = new } }
}

extension ServerUnderTest {
    /// Runs a server, and hands out what the test signed in with, after it has stopped.
    func grants(_ body: @Sendable (Caller) async throws -> [Grant]) async throws -> [Grant] {
        let box = GrantBox()
        try await run { caller in box.set(try await body(caller)) }
        return box.all
    }
}
