// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `A session in the foreground` {
    var bench = SessionFixture()
    let store = InMemoryStore()

    /// The next event that `pick` takes.
    private func next<Value>(
        _ events: AsyncStream<SessionEvent>,
        _ pick: (SessionEvent.Kind) -> Value?
    ) async throws -> Value {
        for await event in events { if let value = pick(event.kind) { return value } }
        throw CancellationError()
    }

    private func report(_ kind: SessionEvent.Kind) -> RefreshReport? {
        if case .refreshed(let report) = kind { report } else { nil }
    }

    @Test func `in the foreground a token is refreshed before it expires, without a call of the app`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let events = session.events
        session.enterForeground()
        for _ in 1...3 {
            // A fifth of ten minutes ahead, a minute at most; the draw is the longest.
            await bench.clock.waitForSleep(for: .seconds(540))
            bench.clock.advance(by: .seconds(540))
            let report = try await next(events, report)
            #expect(report.cause == .ahead)
            #expect(report.remainingLifetime == .seconds(60))
        }
        #expect(bench.backend.counts.refreshes == 3)
    }

    @Test func `a session in the background starts no refresh until a caller requests a token`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let events = session.events
        session.enterForeground()
        await bench.clock.waitForSleep(for: .seconds(540))
        session.enterBackground()
        _ = try await next(events) { $0 == .phaseChanged(.background) ? true : nil }
        bench.clock.advance(by: .seconds(601))
        #expect(bench.backend.counts.refreshes == 0)
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `a refresh that came due in the background starts when the app returns to the foreground`() async throws
    {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let events = session.events
        session.enterBackground()
        bench.clock.advance(by: .seconds(590))
        session.enterForeground()
        #expect(try await next(events, report).remainingLifetime == .seconds(10))
    }

    @Test func `a failed refresh ahead of expiry is retried with pauses of at most five minutes`() async throws {
        let transport = ManualTransport()
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        session.enterForeground()
        var pauses: [Duration] = []
        await bench.clock.waitForSleep(for: .seconds(540))
        bench.clock.advance(by: .seconds(540))
        for _ in 1...14 {
            try await transport.next(to: "/v1/refresh").fail()
            // The deadline of an attempt is on the same clock, and is no pause.
            let slept = await bench.clock.waitForSleep { $0 != .seconds(10) }
            pauses.append(slept)
            bench.clock.advance(by: slept)
        }
        #expect(pauses.first == .milliseconds(250))
        #expect(pauses.allSatisfy { $0 <= .seconds(300) })
        #expect(pauses.last == .seconds(300))
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        _ = try await session.accessToken()
        #expect(session.state == .active)
    }

    @Test func `a failed refresh is retried immediately when the network returns`() async throws {
        try await bench.session(store: store).signIn(.test)
        let (network, updates) = AsyncStream.makeStream(of: Bool.self)
        var bench = bench
        bench.configuration.networkMonitor = SessionNetworkMonitor { network }
        bench.configuration.refreshPolicy.callerTimeout = .seconds(600)
        let transport = ManualTransport()
        bench.clock.advance(by: .seconds(601))
        let session = try bench.session(store: store, transport: transport)
        let events = session.events
        async let token = session.accessToken()
        for _ in 1...6 {
            try await transport.next(to: "/v1/refresh").fail()
            bench.clock.advance(by: await bench.clock.waitForSleep { $0 < .seconds(10) })
        }
        updates.yield(false)
        try await transport.next(to: "/v1/refresh").fail()
        // The pause would be of sixteen seconds now.
        await bench.clock.waitForSleep(for: .seconds(16))
        _ = try await next(events) { $0 == .networkChanged(isUp: false) ? true : nil }
        updates.yield(true)
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }

    @Test func `a refresh is not retried before the end of Retry-After, even if the network returns`() async throws {
        try await bench.session(store: store).signIn(.test)
        let (network, updates) = AsyncStream.makeStream(of: Bool.self)
        var bench = bench
        bench.configuration.networkMonitor = SessionNetworkMonitor { network }
        bench.configuration.refreshPolicy.callerTimeout = .seconds(600)
        bench.clock.advance(by: .seconds(601))
        bench.backend.fail(.answer(status: 429, headers: ["Retry-After": "100"], body: ""))
        let session = try bench.session(store: store)
        let events = session.events
        async let token = session.accessToken()
        await bench.clock.waitForSleep(for: .milliseconds(100_250))
        updates.yield(false)
        updates.yield(true)
        _ = try await next(events) { $0 == .networkChanged(isUp: true) ? true : nil }
        #expect(bench.backend.counts.refreshes == 1)
        bench.clock.advance(by: .milliseconds(100_250))
        #expect(try await token.value == "access-2")
        #expect(bench.backend.counts.refreshes == 2)
    }

    @Test func `an offline session returns a valid token, and stays signed in when a refresh fails`()
        async throws
    {
        let transport = ManualTransport()
        var bench = bench
        bench.configuration.refreshPolicy.callerTimeout = .milliseconds(100)
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        for _ in 0..<10 { #expect(try await session.accessToken().value == "access-1") }
        bench.clock.advance(by: .seconds(601))
        async let error = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").fail()
        guard case .offline = await error else {
            Issue.record("not offline")
            return
        }
        #expect(session.state == .offline)
        #expect(session.state.isSignedIn)
    }

    @Test func `a store that is locked at launch is read again until it is unlocked`() async throws {
        let locked = UnreliableStore(store)
        try await bench.session(store: store).signIn(.test)
        locked.readFault = SessionStoreError(.locked, "before the first unlock")
        let session = try bench.session(store: locked)
        #expect(session.state == .unknown)
        let states = session.states
        session.enterForeground()
        await bench.clock.waitForSleep(for: .milliseconds(250))
        locked.readFault = nil
        bench.clock.advance(by: .milliseconds(250))
        for await state in states where state == .active { break }
        #expect(session.state == .active)
    }

    @Test func `a refresh begins a background assertion and ends it afterwards`() async throws {
        let log = Locked<[String]>([])
        var bench = bench
        bench.configuration.backgroundAssertion = BackgroundAssertion { name, _ in
            log.withLock { $0.append("begin \(name)") }
            return { log.withLock { $0.append("end") } }
        }
        let session = try await bench.expiredSession(store: store)
        _ = try await session.accessToken()
        await session.awaitConfirmation()
        #expect(log.withLock { $0 } == ["begin Freshet refresh", "end"])
    }

    @Test func `a reload adopts a refresh and a sign-out of another process`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let sibling = try bench.session(store: store)
        try await sibling.refresh()
        await session.reload()
        #expect(try await session.accessToken().value == "access-2")
        try await sibling.signOut()
        await session.reload()
        #expect(session.state == .signedOut(.removed))
    }

    @Test func `an app that comes to the foreground ends the pause of a waiting caller`() async throws {
        var bench = bench
        bench.configuration.refreshPolicy.callerTimeout = .seconds(600)
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        for _ in 1...6 {
            try await transport.next(to: "/v1/refresh").fail()
            bench.clock.advance(by: await bench.clock.waitForSleep { $0 < .seconds(10) })
        }
        try await transport.next(to: "/v1/refresh").fail()
        await bench.clock.waitForSleep(for: .seconds(16))
        session.enterForeground()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }

    @Test func `a repeated network report emits no event`() async throws {
        let (network, updates) = AsyncStream.makeStream(of: Bool.self)
        var bench = bench
        bench.configuration.networkMonitor = SessionNetworkMonitor { network }
        let session = try bench.session(store: store)
        let events = session.events
        for isUp in [true, true, false, false, true] { updates.yield(isUp) }
        var changes: [Bool] = []
        for await event in events {
            if case .networkChanged(let isUp) = event.kind { changes.append(isUp) }
            if changes.count == 2 { break }
        }
        #expect(changes == [false, true])
    }

    @Test func `a store that stays locked is read with increasing pauses`() async throws {
        let locked = UnreliableStore(store)
        try await bench.session(store: store).signIn(.test)
        locked.readFault = SessionStoreError(.locked, "before the first unlock")
        let session = try bench.session(store: locked)
        session.enterForeground()
        var pauses: [Duration] = []
        for _ in 1...4 {
            let pause = await bench.clock.waitForSleep { _ in true }
            pauses.append(pause)
            bench.clock.advance(by: pause)
        }
        #expect(pauses == [250, 500, 1000, 2000].map(Duration.milliseconds))
        #expect(session.state == .unknown)
    }
}
