// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// The timer of a session in the foreground, and the pauses between the attempts of a refresh.
@Suite(.timeLimit(.minutes(5))) struct `Timers of a session` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    /// Returns a session on a clock that was derived from the test clock.
    private func session(on clock: SessionClock) throws -> AuthSession {
        try AuthSession(
            baseURL: Fixtures.base(),
            store: store,
            configuration: bench.configuration,
            transport: bench.backend,
            clock: clock
        )
    }

    // MARK: The timer

    @Test func `the time of a refresh ahead of expiry is drawn once for each token`() async throws {
        let draws = Locked(0)
        var clock = bench.clock.sessionClock()
        clock.chance = {
            draws.withLock { draws in
                draws += 1
                return 1 / Double(draws)
            }
        }
        let session = try session(on: clock)
        try await session.signIn(.test)
        let scheduled = try #require(session.refreshIn)
        await session.reload()
        #expect(session.refreshIn == scheduled)
        try await session.refresh()
        #expect(session.refreshIn != scheduled)
    }

    @Test func `a timer that fires after the app has left the foreground starts no refresh`() async throws {
        let (timers, set) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
        var clock = bench.clock.sessionClock()
        // The cancellation comes too late.
        clock.timer = { _, _, body in
            set.yield(body)
            return Task {}
        }
        let session = try session(on: clock)
        try await session.signIn(.test)
        let starts = Locked(0)
        session.observe { event in if case .refreshStarted = event.kind { starts.withLock { $0 += 1 } } }
        let events = session.events
        session.enterForeground()
        var iterator = timers.makeAsyncIterator()
        let timer = await iterator.next()
        let fire = try #require(timer)
        bench.clock.advance(by: .seconds(540))
        session.enterBackground()
        for await event in events where event.kind == .phaseChanged(.background) { break }
        await fire()
        #expect(starts.withLock { $0 } == 0)
    }

    @Test func `a pause between two reads of a locked store may be longer than the longest timer`() async throws {
        var bench = bench
        bench.configuration.refreshPolicy.backoff = RetryBackoff(first: .seconds(7200), limit: .seconds(7200))
        try await bench.session(store: store).signIn(.test)
        let locked = UnreliableStore(store)
        locked.readFault = SessionStoreError(.locked, "before the first unlock")
        let counting = CountingStore(locked)
        let session = try bench.session(store: counting)
        let states = session.states
        session.enterForeground()
        await bench.clock.waitForSleep(for: .seconds(3600))
        let reads = counting.reads
        bench.clock.advance(by: .seconds(3600))
        await bench.clock.waitForSleep(for: .seconds(3600))
        #expect(counting.reads == reads)
        locked.readFault = nil
        bench.clock.advance(by: .seconds(3600))
        for await state in states where state == .active { break }
    }

    @Test func `a refresh ahead of expiry is scheduled again when the network returns`() async throws {
        let (network, updates) = AsyncStream.makeStream(of: Bool.self)
        var bench = bench
        bench.configuration.networkMonitor = SessionNetworkMonitor { network }
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let events = session.events
        session.enterForeground()
        await bench.clock.waitForSleep(for: .seconds(540))
        updates.yield(false)
        for await event in events where event.kind == .networkChanged(isUp: false) { break }
        #expect(await session.driver.wakeTime == nil)
        updates.yield(true)
        for await event in events where event.kind == .networkChanged(isUp: true) { break }
        try #require(await session.driver.wakeTime == .seconds(540))
        bench.clock.advance(by: .seconds(540))
        for await event in events { if case .refreshed = event.kind { break } }
    }

    // MARK: Pauses

    @Test func `an app that leaves the foreground neither reads the store nor ends a pause`() async throws {
        let counting = CountingStore(store)
        let session = try await bench.expiredSession(store: counting, transport: transport)
        let events = session.events
        async let token = session.accessToken()
        try await transport.next(to: "/v1/refresh").fail()
        await bench.clock.waitForSleep(for: .milliseconds(250))
        let pause = try #require(await session.driver.retryPause?.task)
        let reads = counting.reads
        session.enterBackground()
        for await event in events where event.kind == .phaseChanged(.background) { break }
        #expect(await session.driver.retryPause?.task == pause && !pause.isCancelled)
        #expect(counting.reads == reads)
        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }

    @Test func `a caller that joins before the end of Retry-After does not restart the pause`() async throws {
        let session = try await bench.expiredSession(store: store)
        bench.backend.fail(.answer(status: 429, headers: ["Retry-After": "2"], body: ""))
        let events = session.events
        async let first = session.accessToken()
        await bench.clock.waitForSleep(for: .milliseconds(2_250))
        let pause = try #require(await session.driver.retryPause?.task)
        async let second = session.accessToken()
        for await event in events where event.kind == .joined { break }
        #expect(await session.driver.retryPause?.task == pause && !pause.isCancelled)
        bench.clock.advance(by: .milliseconds(2_250))
        _ = try await (first, second)
    }

    @Test func `the pause of a refresh can be ended although the pause of an earlier session has passed`()
        async throws
    {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var bench = bench
        bench.configuration.backgroundAssertion = BackgroundAssertion { _, _ in { end.yield() } }
        bench.configuration.refreshPolicy.callerTimeout = .seconds(600)
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let replaced = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").answer(503, headers: ["Retry-After": "20"])
        await bench.clock.waitForSleep(for: .milliseconds(20_250))
        async let signIn = session.signIn(.test)
        try await transport.next(to: "/v1/login/password").answer(from: bench.backend)
        _ = try await signIn
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(await replaced == .signedOut(.replaced))

        async let refreshed: Void = session.refresh()
        for _ in 1...6 {
            try await transport.next(to: "/v1/refresh").fail()
            bench.clock.advance(by: await bench.clock.waitForSleep { $0 < .seconds(10) })
        }
        try await transport.next(to: "/v1/refresh").fail()
        await bench.clock.waitForSleep(for: .seconds(16))
        // The pause of the earlier session ends. Eight attempts have ended before, and this refresh ends without one.
        bench.clock.advance(by: .milliseconds(4_500))
        var count = 0
        for await _ in ends {
            count += 1
            if count == 9 { break }
        }
        try #require(await session.driver.retryPause != nil)
        session.enterForeground()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await refreshed
    }
}
