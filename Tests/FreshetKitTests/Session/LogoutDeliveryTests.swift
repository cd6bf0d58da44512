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

@Suite(.timeLimit(.minutes(5))) struct `Delivery of logouts` {
    let bench = SessionFixture()
    let base = InMemoryStore()
    let store: UnreliableStore
    let transport = ManualTransport()
    let locked = SessionStoreError(.locked, "the device is locked")
    let damaged = SessionStoreError(.damaged, "garbled")

    init() { store = UnreliableStore(base) }

    private func signedIn() async throws -> AuthSession {
        try await bench.session(store: base).signIn(.test)
        return try bench.session(store: store, transport: transport)
    }

    /// A session that signed out while the server could not be reached.
    private func signedOutOffline() async throws -> AuthSession {
        let session = try await signedIn()
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/v1/logout").fail()
        try await signOut
        await bench.clock.waitForSleep(for: .milliseconds(250))
        return session
    }

    // MARK: Retries

    @Test func `one task retries all logouts until they are delivered`() async throws {
        let session = try await signedOutOffline()
        let retries = try #require(await session.driver.logoutTask)
        async let again: Void = session.deliverPendingLogouts()
        try await transport.next(to: "/v1/logout").fail()
        await again
        #expect(await session.driver.logoutTask == retries, "another attempt starts no second series")

        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/logout").fail()
        await bench.clock.waitForSleep(for: .milliseconds(500))
        #expect(await session.driver.logoutTask == retries)

        bench.clock.advance(by: .milliseconds(500))
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        await retries.value
        #expect(await session.driver.logoutTask == nil, "a later logout is retried again")
    }

    @Test func `an app that comes to the foreground delivers a pending logout at once`() async throws {
        let session = try await signedOutOffline()
        session.enterForeground()
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `a request while the user is signed out does not retry a logout`() async throws {
        let session = try await signedOutOffline()
        #expect(await failure { try await session.accessToken() } == .signedOut(.requested))
        #expect(await session.driver.deliveries.isEmpty)
        #expect(transport.unclaimed.isEmpty)
    }

    // MARK: Stores that fail

    @Test func `a sign-out that is stored late is delivered then`() async throws {
        let session = try await signedIn()
        store.writeFault = locked
        async let signOut = failure { try await session.signOut() }
        try await transport.next(to: "/v1/logout").fail()
        #expect(await signOut == .storeUnavailable(locked))
        await bench.clock.waitForSleep(for: .milliseconds(250))
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `a sign-out that succeeds after one that failed leaves nothing to store`() async throws {
        try await bench.session(store: base).signIn(.test)
        let session = try bench.session(store: store)
        store.writeFault = locked
        #expect(await failure { try await session.signOut() } == .storeUnavailable(locked))
        #expect(!session.status.isSaved)
        store.writeFault = nil
        try await session.signOut()
        #expect(session.status.isSaved)
        #expect(try base.read() == nil)
    }

    @Test func `everywhere: an end that a refresh has found and that cannot be stored is an error, too`() async throws {
        let session = try await signedIn()
        async let everywhere = failure { try await session.signOutEverywhere() }
        let call = try await transport.next(to: "/v1/logout-all")
        async let refresh = failure { try await session.refresh() }
        let request = try await transport.next(to: "/v1/refresh")
        store.writeFault = locked
        request.answer(400, json: #"{"error":"invalid_grant","error_description":"-","reason":"logout_all"}"#)
        #expect(await refresh == .signedOut(.logoutAll))
        call.answer(204)
        #expect(await everywhere == .storeUnavailable(locked))
        #expect(try base.read()?.session != nil && !session.status.isSaved)
        store.writeFault = nil
        await session.reload()
        #expect(try base.read()?.session == nil && session.status.isSaved)
    }

    @Test func `the delivery of a logout does not replace a damaged record`() async throws {
        let session = try await signedIn()
        async let signOut: Void = session.signOut()
        let logout = try await transport.next(to: "/v1/logout")
        store.readFault = damaged
        logout.answer(204)
        try await signOut
        #expect(try base.read()?.pendingLogouts.count == 1)
    }

    @Test func `the logout of an overtaken sign-in does not replace a damaged record`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = failure { try await session.signIn(.test) }
        let tap = try await transport.next()
        try await session.signOut()
        store.readFault = damaged
        tap.answer(from: bench.backend)
        #expect(await first == .signedOut(.requested))
        #expect(try base.read() == nil)
        #expect(session.status.hasPendingLogout)
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `the logout of an overtaken sign-in is stored at once, and no timer writes it again`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = failure { try await session.signIn(.test) }
        let tap = try await transport.next()
        try await session.signOut()
        tap.answer(from: bench.backend)
        #expect(await first == .signedOut(.requested))
        #expect(try base.read()?.pendingLogouts.count == 1)
        #expect(await session.driver.savingTask == nil)
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
    }

    /// The process may exit before the server responds.
    @Test func `the logout of a sign-in that could not be stored is stored while its request is open`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let signIn = failure { try await session.signIn(.test) }
        let request = try await transport.next()
        store.writeFault = locked
        request.answer(from: bench.backend)
        #expect(await signIn == .storeUnavailable(locked))
        let logout = try await transport.next(to: "/v1/logout")
        let saving = try #require(await session.driver.savingTask)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(250))
        await saving.value
        #expect(try base.read()?.pendingLogouts.count == 1)
        logout.answer(from: bench.backend)
    }

    // MARK: Freshet's own protocol, in which one logout ends all tokens of a session

    /// A session whose refreshed tokens could not be stored.
    private func unsaved() async throws -> AuthSession {
        let (session, token) = try await bench.unsavedSession(store: store, transport: transport)
        #expect(token.value == "access-2")
        store.writeFault = nil
        return session
    }

    @Test func `one logout suffices for a session whose newest tokens could not be stored`() async throws {
        let session = try await unsaved()
        let signOut = Task { try await session.signOut() }
        let logout = try await transport.next(to: "/v1/logout")
        #expect(try base.read()?.pendingLogouts.count == 1)
        logout.answer(from: bench.backend)
        signOut.cancel()
        try await signOut.value
    }

    @Test func `a sign-out by another process suffices for tokens that could not be stored here`() async throws {
        let session = try await unsaved()
        try await bench.session(store: base).signOut()
        await session.reload()
        #expect(!session.state.isSignedIn && !session.status.hasPendingLogout)
        #expect(try base.read() == nil)
    }
}
