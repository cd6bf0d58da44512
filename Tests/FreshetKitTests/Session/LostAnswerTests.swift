// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `Lost answers` {
    let bench = SessionFixture()
    let store = InMemoryStore()

    @Test func `repeated lost responses and restarts do not sign the user out`() async throws {
        try await bench.session(store: store).signIn(.test)
        for round in 1...5 {
            bench.clock.advance(by: .seconds(601))
            bench.backend.fail(.replyLost, .requestLost, .replyLost)
            for _ in 0..<3 {
                // Each try is a process of its own that dies after the loss: its clock never moves again.
                let session = try AuthSession(
                    baseURL: try Fixtures.base(),
                    store: store,
                    transport: bench.backend,
                    clock: TestClock(start: bench.clock.wall)
                )
                #expect(await failure { try await impatient(session) } == .cancelled)
            }
            let session = try bench.session(store: store)
            _ = try await session.accessToken()
            #expect(try store.read()?.session?.generation == UInt64(round))
        }
        #expect(bench.backend.liveSessions == 1)
    }

    /// Asks for a token and leaves once the first attempt has failed.
    private func impatient(_ session: AuthSession) async throws {
        let caller = Task { try await session.accessToken() }
        for await state in session.states where state == .offline { break }
        caller.cancel()
        _ = try await caller.value
    }

    @Test func `every retry of a refresh sends the same refresh token and intent`() async throws {
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        var bodies: Set<Data> = []
        for attempt in 0..<4 {
            let pending = try await transport.next(to: "/v1/refresh")
            let stored = try #require(try store.read()?.session)
            let body = try #require(pending.request.httpBody)
            #expect(String(decoding: body, as: UTF8.self).contains(try #require(stored.intent)), "stored before sent")
            bodies.insert(body)
            if attempt == 3 {
                pending.answer(from: bench.backend)
            } else {
                pending.fail()
                await bench.clock.waitForSleep(for: .milliseconds(250 << attempt))
                bench.clock.advance(by: .milliseconds(250 << attempt))
            }
        }
        #expect(try await token.value == "access-2")
        #expect(bodies.count == 1)
    }

    @Test func `a refresh attempt without a response ends at its deadline, and the next attempt follows`() async throws
    {
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let silent = try await transport.next(to: "/v1/refresh")
        await bench.clock.waitForSleep(for: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
        silent.answer(from: bench.backend)
        #expect(try await session.accessToken().value == "access-2", "what comes after the deadline counts for nothing")
    }

    @Test func `a caller times out while the transport returns no response`() async throws {
        var bench = bench
        bench.configuration.refreshPolicy.callerTimeout = .seconds(4)
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let error = failure { try await session.accessToken() }
        _ = try await transport.next(to: "/v1/refresh")
        await bench.clock.waitForSleep(for: .seconds(4))
        bench.clock.advance(by: .seconds(4))
        #expect(await error == .offline(retryAfter: nil, failure: .timedOut))
        #expect(session.state.isSignedIn)
    }

    @Test(arguments: [
        BackendFault.answer(status: 503, headers: [:], body: ""),
        .answer(status: 500, headers: ["Content-Type": "text/html"], body: "<html>"),
        .answer(status: 200, headers: ["Content-Type": "text/html"], body: "<html>Welcome to the hotel"),
        .answer(status: 302, headers: ["Location": "https://portal.example"], body: ""),
        .answer(status: 401, headers: ["Content-Type": "text/html"], body: "no"),
        .answer(status: 409, headers: [:], body: #"{"error":"conflict"}"#), .requestLost, .replyLost,
    ])
    func `a refresh is retried after temporary failures until it succeeds, and its caller gets a token`(
        fault: BackendFault
    ) async throws {
        let session = try await bench.expiredSession(store: store)
        bench.backend.fail(fault, fault)
        async let token = session.accessToken()
        for wait in [250, 500] {
            await bench.clock.waitForSleep(for: .milliseconds(wait))
            bench.clock.advance(by: .milliseconds(wait))
        }
        #expect(try await token.value.hasPrefix("access-"))
        #expect(bench.backend.counts.refreshes == 3 && session.state == .active)
    }

    @Test func `no refresh is sent before the Retry-After time, even when further callers join`() async throws {
        let session = try await bench.expiredSession(store: store)
        bench.backend.fail(.answer(status: 429, headers: ["Retry-After": "2"], body: ""))
        async let first = session.accessToken()
        await bench.clock.waitForSleep(for: .milliseconds(2_250))
        async let second = session.accessToken()
        async let third: Void = session.refresh()
        bench.clock.advance(by: .milliseconds(1_999))
        #expect(bench.backend.counts.refreshes == 1)
        bench.clock.advance(by: .milliseconds(251))
        _ = try await (first, second)
        try await third
        #expect(bench.backend.counts.refreshes == 2)
    }

    @Test func `callers fail when Retry-After is longer than their timeout`() async throws {
        let session = try await bench.expiredSession(store: store)
        bench.backend.fail(.answer(status: 503, headers: ["Retry-After": "120"], body: ""))
        #expect(await failure { try await session.accessToken() } == .offline(retryAfter: .milliseconds(120_250)))
        #expect(await failure { try await session.accessToken() } == .offline(retryAfter: .milliseconds(120_250)))
        #expect(bench.backend.counts.refreshes == 1)
        #expect(session.state == .offline)
        bench.clock.advance(by: .seconds(121))
        _ = try await session.accessToken()
        #expect(session.state == .active)
    }

    @Test(arguments: [
        BackendFault.answer(status: 200, headers: [:], body: #"{"access_token":1}"#),
        .answer(status: 404, headers: [:], body: #"{"error":"not_found"}"#),
        .answer(status: 401, headers: [:], body: #"{"error":"invalid_token"}"#),
        .answer(status: 403, headers: [:], body: #"{"error":"insufficient_scope"}"#),
        .answer(status: 400, headers: [:], body: #"{"error":"invalid_request"}"#),
    ])
    func `an invalid refresh response is an error, and the session stays signed in`(fault: BackendFault) async throws {
        let session = try await bench.expiredSession(store: store)
        bench.backend.fail(fault)
        guard case .invalidResponse = await failure(of: { try await session.accessToken() }) else {
            Issue.record("an invalid response is expected")
            return
        }
        #expect(session.state == .offline)
        bench.clock.advance(by: .seconds(1))
        _ = try await session.accessToken()
        #expect(session.state == .active)
    }

    @Test func `a failed early refresh does not fail calls while the access token is valid`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.clock.advance(by: .seconds(541))
        bench.backend.fail(.answer(status: 503, headers: [:], body: ""))
        var states = session.states.makeAsyncIterator()
        #expect(try await session.accessToken().value == "access-1")
        while let state = await states.next(), state != .offline {}
        #expect(try await session.accessToken().value == "access-1")
        #expect(bench.backend.counts.refreshes == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await session.accessToken().value == "access-1")
        while let state = await states.next(), state != .active {}
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `a caller that joins a refresh without callers times out`() async throws {
        var bench = bench
        bench.configuration.refreshPolicy.callerTimeout = .seconds(4)
        let transport = ManualTransport()
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        bench.clock.advance(by: .seconds(541))
        #expect(try await session.accessToken().value == "access-1")
        _ = try await transport.next(to: "/v1/refresh")
        let events = session.events
        async let error = failure { try await session.refresh() }
        for await event in events where event.kind == .joined { break }
        try #require(await session.driver.waiterTimeoutTask != nil)
        await bench.clock.waitForSleep(for: .seconds(4))
        bench.clock.advance(by: .seconds(4))
        #expect(await error == .offline(retryAfter: nil, failure: .timedOut))
    }

    @Test func `each caller of a refresh times out independently`() async throws {
        var bench = bench
        bench.configuration.refreshPolicy.callerTimeout = .seconds(2)
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: InMemoryStore(), transport: transport)
        for token in ["access-2", "access-3"] {
            let events = session.events
            async let first = failure { try await session.refresh() }
            let refresh = try await transport.next(to: "/v1/refresh")
            await bench.clock.waitForSleep(for: .seconds(2))
            bench.clock.advance(by: .seconds(1))
            async let second = failure { try await session.refresh() }
            for await event in events where event.kind == .joined { break }
            bench.clock.advance(by: .seconds(1))
            #expect(await first == .offline(retryAfter: nil, failure: .timedOut))
            await bench.clock.waitForSleep(for: .seconds(1))
            bench.clock.advance(by: .seconds(1))
            #expect(await second == .offline(retryAfter: nil, failure: .timedOut))
            refresh.answer(from: bench.backend)
            for await event in events { if case .refreshed = event.kind { break } }
            #expect(try await session.accessToken().value == token)
        }
        // A refresh that succeeds in time leaves no timer for the next one's callers.
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await refreshed
        #expect(await session.driver.waiterTimeoutTask == nil)
    }
}
