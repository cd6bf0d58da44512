// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Background refresh` {
    let bench = SessionFixture()
    let keychain = FakeKeychain()
    var start: Date { Date(timeIntervalSince1970: 1_800_000_000) }

    private func session() throws -> AuthSession { try bench.session(store: keychain.store(service: "example")) }

    @Test func `a background refresh refreshes a token that is due before the next one`() async throws {
        let session = try session()
        try await session.signIn(.test)
        #expect(session.nextBackgroundRefresh == start.addingTimeInterval(900))
        #expect(await session.refreshInBackground())
        #expect(bench.backend.counts.refreshes == 1)
        #expect(bench.backend.counts.confirms == 1, "a suspension would take the confirmation along")
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `a background refresh keeps a token that is not due before the next one`() async throws {
        bench.backend.lifetime = 86_400
        let session = try session()
        try await session.signIn(.test)
        let next = try #require(session.nextBackgroundRefresh)
        #expect(abs(next.timeIntervalSince(start) - 86_340) < 0.01)
        #expect(await session.refreshInBackground())
        #expect(bench.backend.counts.refreshes == 0)

        bench.clock.advance(by: .seconds(next.timeIntervalSince(start) - 900))
        #expect(await session.refreshInBackground())
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a background refresh adopts tokens that another process refreshed`() async throws {
        let session = try session()
        try await session.signIn(.test)
        bench.backend.lifetime = 86_400
        try await self.session().refresh()
        #expect(await session.refreshInBackground())
        #expect(bench.backend.counts.refreshes == 1)
        #expect(session.status.generation == 1)
    }

    @Test func `a background refresh fails while the keychain is locked, and another one is scheduled`() async throws {
        try await session().signIn(.test)
        keychain.device = .beforeFirstUnlock
        keychain.hidesItemsBeforeFirstUnlock = true
        let session = try session()
        #expect(await !session.refreshInBackground())
        #expect(session.state == .unknown)
        #expect(session.nextBackgroundRefresh == start.addingTimeInterval(900))
        #expect(bench.backend.counts.refreshes == 0)
        keychain.device = .locked
        #expect(await session.refreshInBackground())
        #expect(session.state == .active)
    }

    @Test func `a background refresh does nothing while signed out, and schedules no other`() async throws {
        let session = try session()
        #expect(await session.refreshInBackground())
        #expect(session.nextBackgroundRefresh == nil)
        try await session.signIn(.test)
        bench.backend.endSessions(reason: "revoked")
        #expect(await session.refreshInBackground(), "an end is an answer")
        #expect(session.nextBackgroundRefresh == nil)
    }

    @Test func `a session is loaded when the device is unlocked, without a call of the app`() async throws {
        try await session().signIn(.test)
        keychain.device = .beforeFirstUnlock
        let session = try session()
        let (center, name) = (NotificationCenter(), Notification.Name("unlocked"))
        session.reload(on: name, of: center)
        var states = session.states.makeAsyncIterator()
        #expect(await states.next() == .unknown)
        keychain.device = .locked
        center.post(name: name, object: nil)
        #expect(await states.next() == .active)
    }
}
