// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@testable import FreshetKit

/// The device's wall clock decides nothing.
@Suite(.timeLimit(.minutes(1))) struct `Wrong clocks` {
    let bench = Bench()
    let store = InMemoryStore()

    @Test(arguments: [-86_400.0, -600, 600, 86_400, 1e8])
    func `a wall clock that is wrong all the time changes nothing`(offset: Double) async throws {
        bench.clock.moveWall(by: offset)
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

    @Test(arguments: [-86_400.0, 86_400]) func `one that is set while the session lives changes nothing`(
        step: Double
    ) async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.clock.moveWall(by: step)
        for _ in 0..<20 { #expect(try await session.accessToken().value == "access-1") }
        #expect(bench.backend.counts.refreshes == 0)
    }

    @Test(arguments: [-86_400.0, 86_400]) func `one that is set between two launches costs one refresh at most`(
        step: Double
    ) async throws {
        try await bench.session(store: store).signIn(.test)
        bench.clock.moveWall(by: step)
        let session = try bench.session(store: store)
        for _ in 0..<20 { _ = try await session.accessToken() }
        #expect(bench.backend.counts.refreshes == 1)
        #expect(session.state == .active)
    }

    @Test func `time spent asleep counts`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.clock.advance(by: .seconds(86_400 * 20))
        #expect(try await session.accessToken().value == "access-2")
    }

    /// A server whose tokens have ended when they arrive must not be asked at every call.
    @Test func `tokens that end at once are used all the same`() async throws {
        bench.backend.lifetime = 0
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        for _ in 0..<20 { _ = try await session.accessToken() }
        #expect(bench.backend.counts.refreshes == 0)
    }
}
