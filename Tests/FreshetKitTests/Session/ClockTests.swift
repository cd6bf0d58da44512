// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// The device's wall clock decides nothing.
@Suite(.timeLimit(.minutes(5))) struct `Wrong clocks` {
    let bench = SessionFixture()
    let store = InMemoryStore()

    @Test(arguments: [-86_400.0, -600, 600, 86_400, 1e8])
    func `a wall clock that is always wrong does not change when tokens are refreshed`(offset: Double) async throws {
        bench.clock.moveWallClock(by: offset)
        bench.backend.lifetime = 300
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        for _ in 0..<20 { #expect(try await session.accessToken().value == "access-1") }
        // Also after a restart.
        let next = try bench.session(store: store)
        for _ in 0..<50 { #expect(try await next.accessToken().value == "access-1") }
        #expect(bench.backend.counts.refreshes == 0)
        bench.clock.advance(by: .seconds(301))
        #expect(try await next.accessToken().value == "access-2")
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test(arguments: [-86_400.0, 86_400]) func `a wall clock change during a session causes no refresh`(
        step: Double
    ) async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.clock.moveWallClock(by: step)
        for _ in 0..<20 { #expect(try await session.accessToken().value == "access-1") }
        #expect(bench.backend.counts.refreshes == 0)
    }

    private static let day = 86_400.0

    /// An hour, a day, a decade, either way.
    @Test(arguments: [3600, day, 3650 * day, -3600, -day, -3650 * day])
    func `a wall clock change between two launches does not change when tokens are refreshed`(step: Double) async throws
    {
        try await bench.session(store: store).signIn(.test)
        bench.clock.moveWallClock(by: step)
        let session = try bench.session(store: store)
        for _ in 0..<20 { #expect(try await session.accessToken().value == "access-1") }
        #expect(bench.backend.counts.refreshes == 0)
        bench.clock.advance(by: .seconds(601))
        let next = try bench.session(store: store)
        for _ in 0..<20 { #expect(try await next.accessToken().value == "access-2") }
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test(arguments: [3600, day, 3650 * day, -3600, -day, -3650 * day])
    func `a wall clock change during a reboot causes exactly one refresh`(step: Double) async throws {
        try await bench.session(store: store).signIn(.test)
        bench.clock.reboot()
        bench.clock.moveWallClock(by: step)
        let session = try bench.session(store: store)
        for _ in 0..<20 { _ = try await session.accessToken() }
        #expect(bench.backend.counts.refreshes == 1)
        #expect(session.state == .active)
        // From then on everything is known again.
        bench.clock.moveWallClock(by: -step)
        let next = try bench.session(store: store)
        for _ in 0..<20 { _ = try await next.accessToken() }
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a reboot without a wall clock change does not change when the access token expires`() async throws {
        try await bench.session(store: store).signIn(.test)
        bench.clock.advance(by: .seconds(100))
        bench.clock.reboot()
        bench.clock.advance(by: .seconds(100))
        let session = try bench.session(store: store)
        #expect(try await session.accessToken().value == "access-1")
        bench.clock.advance(by: .seconds(401))
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `an access token of twenty seconds is refreshed three to five times a minute, not at every call`()
        async throws
    {
        bench.backend.lifetime = 20
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let events = session.events
        for _ in 0..<600 {
            bench.clock.advance(by: .milliseconds(100))
            _ = try await session.accessToken()
            // A refresh ahead runs beside its caller: wait for it, so that time does not run away.
            if session.state == .refreshing {
                for await event in events { if case .refreshed = event.kind { break } }
            }
        }
        #expect((3...5).contains(bench.backend.counts.refreshes), "\(bench.backend.counts.refreshes)")
    }

    @Test func `a token of thirty days overflows no timer, and is refreshed in time`() async throws {
        bench.backend.lifetime = 30 * 86_400
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let events = session.events
        session.enterForeground()
        for _ in 0..<(30 * 24 - 1) {
            await bench.clock.waitForSleep(for: .seconds(3600))
            bench.clock.advance(by: .seconds(3600))
        }
        #expect(bench.backend.counts.refreshes == 0)
        await bench.clock.waitForSleep(for: .seconds(3540))
        bench.clock.advance(by: .seconds(3540))
        for await event in events { if case .refreshed = event.kind { break } }
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `an access token that expires during twenty days of sleep is refreshed`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.clock.advance(by: .seconds(86_400 * 20))
        #expect(try await session.accessToken().value == "access-2")
    }

    /// A server whose tokens have ended when they arrive must not be asked at every call.
    @Test func `an access token that arrives expired at sign-in is refreshed once, at the first call`() async throws {
        bench.backend.lifetime = 0
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.backend.lifetime = 600
        for _ in 0..<20 { #expect(try await session.accessToken().value == "access-2") }
        #expect(bench.backend.counts.refreshes == 1)
    }
}
