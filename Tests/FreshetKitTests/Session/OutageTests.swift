// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// The end of an outage is noticed: by the app's calls, by its coming to the foreground, and never before `Retry-After`.
@Suite(.timeLimit(.minutes(5))) struct `The end of an outage` {
    var bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    init() {
        // Each call is one attempt.
        bench.configuration.refreshPolicy.callerTimeout = .milliseconds(1)
    }

    /// A session whose token expired and whose refreshes failed for a minute.
    private func session() async throws -> AuthSession {
        let session = try await bench.expiredSession(store: store, transport: transport)
        for _ in 1...12 {
            async let error = failure { try await session.accessToken() }
            try await transport.next(to: "/v1/refresh").fail()
            guard case .offline = await error else { throw CancellationError() }
            bench.clock.advance(by: .seconds(5))
        }
        return session
    }

    @Test func `the next call after an outage refreshes the token`() async throws {
        let session = try await session()
        async let token = session.accessToken()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }

    @Test mutating func `a call without a network fails immediately, and the next call refreshes the token`()
        async throws
    {
        bench.configuration.refreshPolicy = RefreshPolicy()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let error = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").fail(URLError(.notConnectedToInternet))
        guard case .offline(_, .noNetwork) = await error else {
            Issue.record("no time passes, so it has not waited")
            return
        }
        async let token = session.accessToken()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }

    @Test func `calls during an outage send at most one refresh attempt in five seconds`() async throws {
        let session = try await session()
        async let first = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").fail()
        guard case .offline = await first else {
            Issue.record("offline is expected")
            return
        }
        for _ in 1...49 {
            #expect(await failure { try await session.accessToken() } != nil)
            bench.clock.advance(by: .milliseconds(100))
        }
        #expect(transport.unclaimed.isEmpty)
        bench.clock.advance(by: .milliseconds(100))
        async let token = session.accessToken()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }

    @Test func `an automatic call during an outage sends no refresh before the back-off ends`() async throws {
        let session = try await session()
        let error = await failure { try await session.driver.token(for: .valid, isUserInitiated: false) }
        guard case .offline(let delay?, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(delay > .seconds(5))
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `an app that comes to the foreground retries a failed refresh immediately`() async throws {
        let session = try await session()
        session.enterForeground()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        for await state in session.states where state == .active { break }
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `a second call ends the back-off of a waiting caller`() async throws {
        var bench = bench
        bench.configuration.refreshPolicy.callerTimeout = .seconds(600)
        let session = try await bench.expiredSession(store: store, transport: transport)
        let events = session.events
        async let first = session.accessToken()
        for seconds in [0.25, 0.5, 1, 2, 4, 8, 16, 32] {
            try await transport.next(to: "/v1/refresh").fail()
            await bench.clock.waitForSleep(for: .seconds(seconds))
            if seconds < 32 { bench.clock.advance(by: .seconds(seconds)) }
        }
        async let second = session.accessToken()
        for await event in events where event.kind == .joined { break }
        // The clock stands.
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await first.value == "access-2")
        #expect(try await second.value == "access-2")
    }

    @Test func `no refresh is sent before Retry-After, and a call succeeds at most one second after it`() async throws {
        let session = try await session()
        async let error = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").answer(503, headers: ["Retry-After": "7"])
        guard case .offline = await error else {
            Issue.record("offline is expected")
            return
        }
        for _ in 1...7 {
            #expect(await failure { try await session.refresh() } != nil)
            session.enterForeground()
            session.enterBackground()
            await session.driver.networkChanged(isUp: false)
            await session.driver.networkChanged(isUp: true)
            #expect(transport.unclaimed.isEmpty, "the server named a time")
            bench.clock.advance(by: .seconds(1))
        }
        bench.clock.advance(by: .seconds(1))
        async let token = session.accessToken()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }
}
