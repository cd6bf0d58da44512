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

@Suite(.timeLimit(.minutes(5))) struct `Single flight` {
    let bench = SessionFixture()

    @Test func `a valid token is returned without a request`() async throws {
        let session = try bench.session()
        try await session.signIn(.test)
        #expect(try await session.accessToken().value == "access-1")
        #expect(bench.backend.counts.refreshes == 0)
        #expect(session.published.validToken(at: .zero) != nil)
    }

    @Test func `a thousand callers on an expired token cause one refresh`() async throws {
        let session = try await bench.expiredSession()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1_000 { group.addTask { try await session.accessToken().value } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["access-2"])
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a thousand refused requests cause one refresh, and all succeed when they are repeated`() async throws {
        let session = try bench.session()
        try await session.signIn(.test)
        bench.backend.revokeAccessTokens()
        let request = try bench.request()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 { group.addTask { try await session.data(for: request).1.statusCode } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(statuses == [200])
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a request that is refused late is repeated with the current token, without another refresh`()
        async throws
    {
        let transport = ManualTransport()
        let store = InMemoryStore()
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        let request = try bench.request()

        async let late = session.data(for: request)
        let pending = try await transport.next()
        async let refresh: Void = session.refresh()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await refresh
        pending.answer(401)
        let replay = try await transport.next(to: "/things")
        #expect(pending.bearer == "access-1" && replay.bearer == "access-2")
        replay.answer(200, json: "{}")
        #expect(try await late.1.statusCode == 200)
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a resource that refuses every token causes a second refresh only after the minimum interval`()
        async throws
    {
        let session = try bench.session()
        try await session.signIn(.test)
        bench.backend.refusesEverything = true
        let request = try bench.request()

        #expect(try await session.data(for: request).1.statusCode == 401)
        #expect(bench.backend.counts.requests == 2 && bench.backend.counts.refreshes == 1)
        for _ in 0..<20 {
            #expect(try await session.data(for: request).1.statusCode == 401)
            bench.clock.advance(by: .seconds(1))
        }
        #expect(bench.backend.counts.refreshes == 1)
        #expect(session.state == .active)

        bench.clock.advance(by: .seconds(30))
        #expect(try await session.data(for: request).1.statusCode == 401)
        #expect(bench.backend.counts.refreshes == 2)
    }

    @Test func `a cancelled caller fails immediately, and the refresh continues for the other callers`() async throws {
        let transport = ManualTransport()
        let session = try await bench.expiredSession(transport: transport)
        let first = Task { await failure { try await session.accessToken() } }
        async let second = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        first.cancel()
        #expect(await first.value == .cancelled)
        refresh.answer(from: bench.backend)
        #expect(try await second.value == "access-2")
    }

    @Test func `every waiting caller gets an error after a cancellation or a sign-out`() async throws {
        let transport = ManualTransport()
        let session = try await bench.expiredSession(transport: transport)
        let callers = (0..<1_000).map { _ in Task { await failure { try await session.accessToken() } } }
        let refresh = try await transport.next(to: "/v1/refresh")
        for caller in callers.prefix(300) { caller.cancel() }
        let signOut = Task { try await session.signOut() }
        try await transport.next(to: "/v1/logout").answer(204)
        try await signOut.value
        refresh.answer(from: bench.backend)
        var errors: [SessionError] = []
        for caller in callers { if let error = await caller.value { errors.append(error) } }
        #expect(errors.count == 1_000)
        #expect(errors.allSatisfy { $0 == .cancelled || $0 == .signedOut(.requested) })
    }

    @Test func `the result of a refresh is stored even if its only caller was cancelled`() async throws {
        let transport = ManualTransport()
        let store = InMemoryStore()
        let session = try await bench.expiredSession(store: store, transport: transport)
        let caller = Task { await failure { try await session.accessToken() } }
        let refresh = try await transport.next(to: "/v1/refresh")
        caller.cancel()
        #expect(await caller.value == .cancelled)
        refresh.answer(from: bench.backend)
        _ = try await transport.next(to: "/v1/confirm")
        #expect(try store.read()?.session?.generation == 1)
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `an access token near its expiry is refreshed while callers still get it`() async throws {
        let transport = ManualTransport()
        let store = InMemoryStore()
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        bench.clock.advance(by: .seconds(541))
        for _ in 0..<10 { #expect(try await session.accessToken().value == "access-1") }
        let refresh = try await transport.next(to: "/v1/refresh")
        #expect(try await session.accessToken().value == "access-1")
        refresh.answer(from: bench.backend)
        _ = try await transport.next(to: "/v1/confirm")
        #expect(try await session.accessToken().value == "access-2")
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `only one of the callers that get a token near its expiry starts the refresh`() async throws {
        let session = try bench.session()
        try await session.signIn(.test)
        #expect(session.published.validToken(at: .seconds(539))?.isDue == false)
        #expect(session.published.validToken(at: .seconds(541))?.isDue == true)
        for _ in 0..<10 { #expect(session.published.validToken(at: .seconds(541))?.isDue == false) }
        #expect(session.published.validToken(at: .seconds(600)) == nil)
    }

    @Test func `a token is not due again while its refresh is in progress`() async throws {
        let transport = ManualTransport()
        let store = InMemoryStore()
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        bench.clock.advance(by: .seconds(541))
        #expect(try await session.accessToken().value == "access-1")
        let refresh = try await transport.next(to: "/v1/refresh")
        #expect(session.published.validToken(at: .seconds(541))?.isDue == false)
        refresh.answer(from: bench.backend)
        _ = try await transport.next(to: "/v1/confirm")
    }

    @Test func `the state stream of a session reports a refresh and a sign-out in order`() async throws {
        let transport = ManualTransport()
        let session = try await bench.expiredSession(transport: transport)
        var states = session.states.makeAsyncIterator()
        #expect(await states.next() == .active)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        #expect(await states.next() == .refreshing)
        refresh.answer(from: bench.backend)
        _ = try await token
        #expect(await states.next() == .active)
        let signOut = Task { try await session.signOut() }
        #expect(await states.next() == .ending)
        #expect(await states.next() == .signedOut(.requested))
        try await transport.next(to: "/v1/logout").answer(204)
        try await signOut.value
    }
}
