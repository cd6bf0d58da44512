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

    /// Signs out while neither the store nor the server is available.
    private func signOutWithoutStore(_ session: AuthSession) async throws {
        store.writeFault = locked
        async let signOut = failure { try await session.signOut() }
        try await transport.next(to: "/v1/logout").fail()
        #expect(await signOut == .storeUnavailable(locked))
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

    @Test func `an app that comes to the foreground delivers a pending logout immediately`() async throws {
        let session = try await signedOutOffline()
        session.enterForeground()
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `a pending logout is delivered immediately when the network returns`() async throws {
        let (network, updates) = AsyncStream.makeStream(of: Bool.self)
        try await bench.session(store: base).signIn(.test)
        var bench = bench
        bench.configuration.networkMonitor = SessionNetworkMonitor { network }
        let session = try bench.session(store: base, transport: transport)
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/v1/logout").fail()
        try await signOut
        await bench.clock.waitForSleep(for: .milliseconds(250))
        for isUp in [false, true] { updates.yield(isUp) }
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `a pending logout of another process is delivered after a refresh`() async throws {
        let session = try await bench.expiredSession(store: base, transport: transport)
        let token = try addLogoutOfAnotherProcess()
        async let refreshed = session.accessToken()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        _ = try await refreshed
        let logout = try await transport.next(to: "/v1/logout")
        #expect(String(decoding: logout.request.httpBody ?? Data(), as: UTF8.self).contains(token))
        logout.answer(204)
    }

    /// Adds a pending logout to the record, and returns its refresh token.
    private func addLogoutOfAnotherProcess() throws -> String {
        let session = Fixtures.stored(0, id: Fixtures.otherSession)
        let record = try #require(try base.read())
        let changed = record.addingPendingLogout(session, at: Fixtures.origin, .refreshToken)
        #expect(try base.replace(record, with: changed))
        return try #require(session.refreshToken)
    }

    /// A sign-in may have returned its token again since the delivery began.
    @Test func `a logout that is no longer pending is not sent`() async throws {
        let session = try bench.session(store: base)
        try await session.signIn(.test)
        let stored = try #require(try base.read()?.session)
        let logout = PendingLogout(origin: Fixtures.origin, session: stored, credentials: .refreshToken)
        let isDone = await session.driver.deliver(try #require(logout)).value
        #expect(isDone)
        #expect(bench.backend.counts.logouts == 0 && bench.backend.liveSessions == 1)
    }

    @Test func `a request while the user is signed out does not retry a logout`() async throws {
        let session = try await signedOutOffline()
        #expect(await failure { try await session.accessToken() } == .signedOut(.requested))
        #expect(await session.driver.deliveries.isEmpty)
        #expect(transport.unclaimed.isEmpty)
    }

    // MARK: Stores that fail

    @Test func `a sign-out that could not be stored is delivered once the store can be written`() async throws {
        let session = try await signedIn()
        try await signOutWithoutStore(session)
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

    @Test func `a sign-out everywhere fails if a session end that a refresh reports cannot be stored`() async throws {
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
        let events = session.events
        async let signOut: Void = session.signOut()
        let logout = try await transport.next(to: "/v1/logout")
        store.readFault = damaged
        logout.answer(204)
        try await signOut
        #expect(try base.read()?.pendingLogouts.count == 1)
        #expect(await isDelivered(events) == false, "the record still has it")
    }

    /// Returns the result of the next delivery.
    private func isDelivered(_ events: AsyncStream<SessionEvent>) async -> Bool? {
        for await event in events { if case .logoutDelivered(let isDelivered) = event.kind { return isDelivered } }
        return nil
    }

    @Test func `the logout of an overtaken sign-in does not replace a damaged record`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = failure { try await session.signIn(.test) }
        let tap = try await transport.next()
        try await session.signOut()
        store.readFault = damaged
        let events = session.events
        tap.answer(from: bench.backend)
        #expect(await first == .signedOut(.requested))
        #expect(try base.read() == nil)
        #expect(session.status.hasPendingLogout)
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
        #expect(await isDelivered(events) == true)
        #expect(await session.driver.unrecordedLogouts.isEmpty)
        #expect(!session.status.hasPendingLogout)
    }

    @Test func `a request while the user is signed out does not resend a logout that cannot be stored`() async throws {
        let session = try bench.session(store: store, transport: transport)
        let events = session.events
        async let signIn = failure { try await session.signIn(.test) }
        let request = try await transport.next()
        store.writeFault = locked
        request.answer(from: bench.backend)
        #expect(await signIn == .storeUnavailable(locked))
        try await transport.next(to: "/v1/logout").fail()
        #expect(await isDelivered(events) == false)
        #expect(await failure { try await session.accessToken() } == .signedOut(nil))
        #expect(await session.driver.deliveries.isEmpty)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `the end of a session that is stored late does not resend the logouts of other processes`()
        async throws
    {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let error = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        store.writeFault = locked
        refresh.answer(400, json: #"{"error":"invalid_grant","reason":"fork"}"#)
        #expect(await error == .signedOut(.fork))
        _ = try addLogoutOfAnotherProcess()
        store.writeFault = nil
        #expect(await failure { try await session.accessToken() } == .signedOut(.fork))
        #expect(try base.read()?.session == nil)
        #expect(await session.driver.deliveries.isEmpty)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `an overtaken sign-in does not log out the same session of another process`() async throws {
        let app = try bench.session(store: store, transport: transport)
        let others = ManualTransport()
        let widget = try bench.session(store: base, transport: others)
        async let first = failure { try await app.signIn(.test) }
        let tap = try await transport.next()
        let grant = String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self)
        try await app.signOut()
        async let signIn = widget.signIn(.test)
        try await others.next().answer(200, json: grant)
        _ = try await signIn
        store.writeFault = locked
        tap.answer(200, json: grant)
        #expect(await first == .signedOut(.requested))
        try #require(await app.driver.pendingLogouts.isEmpty)
        await app.deliverPendingLogouts()
        #expect(transport.unclaimed.isEmpty && bench.backend.liveSessions == 1)
    }

    @Test func `the logout of an overtaken sign-in is stored immediately, and no timer writes it again`() async throws {
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

    @Test func `one logout suffices for a Freshet session whose newest tokens could not be stored`() async throws {
        let session = try await unsaved()
        let signOut = Task { try await session.signOut() }
        let logout = try await transport.next(to: "/v1/logout")
        #expect(try base.read()?.pendingLogouts.count == 1)
        logout.answer(from: bench.backend)
        signOut.cancel()
        try await signOut.value
    }

    @Test func `one logout suffices if a sign-in follows a Freshet sign-out that could not be stored`() async throws {
        let (session, _) = try await bench.unsavedSession(store: store, transport: transport)
        async let signOut = failure { try await session.signOut() }
        try await transport.next(to: "/v1/logout").fail()
        #expect(await signOut == .storeUnavailable(locked))
        store.writeFault = nil
        async let signIn = session.signIn(.test)
        try await transport.next(to: "/v1/login/password").answer(from: bench.backend)
        _ = try await signIn
        #expect(try base.read()?.pendingLogouts.count == 1)
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 1)
    }

    @Test func `a Freshet sign-out that could not be stored adds no logout after a sign-in by another process`()
        async throws
    {
        let session = try await signedIn()
        try await signOutWithoutStore(session)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(100))
        let other = try bench.session(store: base)
        try await other.signIn(.test)
        await other.deliverPendingLogouts()
        let events = session.events
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(150))
        for await event in events where event.kind == .saved { break }
        #expect(try base.read()?.pendingLogouts.isEmpty == true)
        #expect(bench.backend.liveSessions == 1)
    }

    @Test func `Freshet tokens that could not be stored need no logout after a sign-out by another process`()
        async throws
    {
        let session = try await unsaved()
        try await bench.session(store: base).signOut()
        await session.reload()
        #expect(!session.state.isSignedIn && !session.status.hasPendingLogout)
        #expect(try base.read() == nil)
    }
}
