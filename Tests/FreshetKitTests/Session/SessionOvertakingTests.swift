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

/// Sign-ins and sign-outs that overtake each other, in one process and in two on one store.
@Suite(.timeLimit(.minutes(5))) struct `Overtaking sign-ins` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    @Test func `no logout is sent for a session that a sign-in in progress may still use`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = failure { try await session.signIn(.test) }
        let tap = try await transport.next()
        try await session.signOut()
        async let second = session.signIn(.test)
        let doubleTap = try await transport.next()
        let grant = String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self)
        tap.answer(200, json: grant)
        #expect(await first == .signedOut(.requested))
        #expect(session.status.hasPendingLogout, "if the second fails, the server hears of the first")
        doubleTap.answer(200, json: grant)
        _ = try await second
        #expect(session.state == .active && !session.status.hasPendingLogout)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `the logout of an overtaken sign-in is sent after the later sign-in fails`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = failure { try await session.signIn(.test) }
        let tap = try await transport.next()
        try await session.signOut()
        async let second = failure { try await session.signIn(.test) }
        let doubleTap = try await transport.next()
        tap.answer(200, json: String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self))
        _ = await first
        doubleTap.fail()
        #expect(await second == .offline(retryAfter: nil, failure: .connectionLost))
        let logout = try await transport.next(to: "/v1/logout")
        logout.answer(204)
    }

    @Test func `a sign-out everywhere does not end a session that another process has signed in`() async throws {
        let melchat = try Contract.named("melchat")
        let app = try bench.session(contract: melchat, store: store, transport: transport)
        let widget = try bench.session(contract: melchat, store: store, transport: transport)
        try await app.signIn(.tokens(TokenGrant(accessToken: "a1", refreshToken: "ra", userID: "ann")))
        async let signOut: Void = app.signOutEverywhere()
        let everywhere = try await transport.next(to: "/api/auth/logout-all")
        try await widget.signIn(.tokens(TokenGrant(accessToken: "b1", refreshToken: "rb", userID: "bob")))
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        everywhere.answer(200, json: #"{"success":true}"#)
        try await signOut
        #expect(try store.read()?.session?.refreshToken == "rb")
        #expect(widget.state == .active)
        #expect(app.status.userID == "bob", "the app goes over to the session that is there")
    }

    @Test(arguments: [true, false])
    func `a double tap does not restore a session that another process has signed out or replaced`(
        isReplaced: Bool
    ) async throws {
        let app = try bench.session(store: store, transport: transport)
        let widget = try bench.session(store: store, transport: transport)
        async let first = app.signIn(.test)
        let tap = try await transport.next()
        async let second = failure { try await app.signIn(.test) }
        let doubleTap = try await transport.next()
        let grant = String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self)
        tap.answer(200, json: grant)
        _ = try await first
        await widget.reload()
        async let ending: Void = {
            if isReplaced { _ = try await widget.signIn(.test) } else { try await widget.signOut() }
        }()
        if isReplaced {
            let request = try await transport.next(to: "/v1/login/password")
            let other = try await bench.backend.data(for: request.request).0
            request.answer(200, json: String(decoding: other, as: UTF8.self))
        }
        // The other process tells the server by now.
        let logout = try await transport.next(to: "/v1/logout")
        let left = try store.read()?.session
        doubleTap.answer(200, json: grant)
        #expect(await second == .signedOut(isReplaced ? .replaced : .requested))
        #expect(try store.read()?.session == left, "the store holds what the other process has left")
        #expect(app.state == (isReplaced ? .active : .signedOut(.requested)))
        logout.answer(204)
        try await ending
    }

    @Test func `the second response of a double tap does not replace tokens that a refresh has returned since`()
        async throws
    {
        let session = try melchat(store)
        let fields = SignInCredentials.fields(
            endpoint: "login.code.verify",
            ["email": "a@example.com", "code": "123456"]
        )
        let grant = #"{"success":true,"accessToken":"a1","refreshToken":"r1","expiresIn":4}"#
        async let first = session.signIn(fields)
        let tap = try await transport.next()
        async let second = session.signIn(fields)
        let doubleTap = try await transport.next()
        tap.answer(200, json: grant)
        _ = try await first
        bench.clock.advance(by: .seconds(5))
        async let token = session.accessToken()
        try await transport.next().answer(200, json: Self.rotated)
        #expect(try await token.value == "a2")
        doubleTap.answer(200, json: grant)
        _ = try await second
        #expect(try await session.accessToken().value == "a2")
        #expect(try store.read()?.session?.refreshToken == "r2")
        #expect(!session.status.hasPendingLogout && transport.unclaimed.isEmpty)
    }

    // MARK: Tokens that were never stored

    private static let rotated = #"{"success":true,"accessToken":"a2","refreshToken":"r2","expiresIn":3600}"#

    private func melchat(_ store: any SessionStore) throws -> AuthSession {
        try bench.session(contract: try Contract.named("melchat"), store: store, transport: transport)
    }

    private func signedIn(_ store: any SessionStore) async throws -> AuthSession {
        let session = try melchat(store)
        let grant = TokenGrant(accessToken: "a1", refreshToken: "r1", expiresIn: .seconds(60))
        try await session.signIn(.tokens(grant))
        bench.clock.advance(by: .seconds(61))
        return session
    }

    /// A session with the tokens of ``rotated``, which its store did not take and still does not take.
    private func unsaved(_ store: UnreliableStore) async throws -> AuthSession {
        let session = try await signedIn(store)
        store.writeFault = SessionStoreError(.locked, "locked")
        async let token = session.accessToken()
        try await transport.next(to: "/api/auth/refresh").answer(200, json: Self.rotated)
        #expect(try await token.value == "a2")
        return session
    }

    /// Loses the next logout request, and waits until the session knows.
    private func loseLogout(of session: AuthSession) async throws {
        let events = session.events
        try await transport.next(to: "/api/auth/logout").fail()
        for await event in events {
            if case .logoutDelivered(false) = event.kind { return }
        }
    }

    /// Answers logouts until one shows `token`.
    private func untilLogout(of token: String) async throws {
        while true {
            let logout = try await transport.next(to: "/api/auth/logout")
            logout.answer(200, json: #"{"success":true}"#)
            if String(decoding: logout.request.httpBody ?? Data(), as: UTF8.self).contains(token) { return }
        }
    }

    @Test func `a refresh token that arrives after a sign-out by another process is logged out`() async throws {
        let app = try await signedIn(store)
        let widget = try melchat(store)
        async let caller = failure { try await app.accessToken() }
        let refresh = try await transport.next(to: "/api/auth/refresh")
        async let signOut: Void = widget.signOut()
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        try await signOut
        refresh.answer(200, json: Self.rotated)
        guard case .signedOut = await caller else {
            Issue.record("the app goes on without a session")
            return
        }
        try await untilLogout(of: "r2")
    }

    @Test func `tokens that could not be stored are logged out after a sign-out by another process`() async throws {
        let unreliable = UnreliableStore(store)
        let app = try await unsaved(unreliable)
        let widget = try melchat(store)
        async let signOut: Void = widget.signOut()
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        try await signOut
        unreliable.writeFault = nil
        await app.reload()
        #expect(!app.state.isSignedIn)
        try await untilLogout(of: "r2")
    }

    @Test func `a sign-in after a sign-out that could not be stored logs out the previous session's tokens`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let app = try await unsaved(unreliable)
        async let signOut = failure { try await app.signOut() }
        try await transport.next(to: "/api/auth/logout").fail()
        #expect(await signOut == .storeUnavailable(SessionStoreError(.locked, "locked")))
        unreliable.writeFault = nil
        try await app.signIn(.tokens(TokenGrant(accessToken: "b1", refreshToken: "rb")))
        try await untilLogout(of: "r2")
    }

    @Test func `a sign-in that could not be stored is logged out even if the first logout request fails`() async throws
    {
        let unreliable = UnreliableStore(store)
        let app = try melchat(unreliable)
        let fields = SignInCredentials.fields(
            endpoint: "login.code.verify",
            ["email": "a@example.com", "code": "123456"]
        )
        async let signIn = failure { try await app.signIn(fields) }
        let verify = try await transport.next()
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        verify.answer(200, json: #"{"success":true,"accessToken":"a1","refreshToken":"r1","expiresIn":3600}"#)
        #expect(await signIn == .storeUnavailable(SessionStoreError(.locked, "locked")))
        try await loseLogout(of: app)
        unreliable.writeFault = nil
        #expect(await failure { try await app.accessToken() } == .signedOut(nil))
        try await untilLogout(of: "r1")
    }

    @Test func `a sign-in that replaces a session logs out that session's tokens that could not be stored`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let app = try await unsaved(unreliable)
        unreliable.writeFault = nil
        try await app.signIn(.tokens(TokenGrant(accessToken: "b1", refreshToken: "rb")))
        try await untilLogout(of: "r2")
    }

    @Test func `a token that a refresh returns after a sign-out that could not be stored is logged out`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let app = try await signedIn(unreliable)
        async let caller = failure { try await app.accessToken() }
        let refresh = try await transport.next(to: "/api/auth/refresh")
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        async let signOut = failure { try await app.signOut() }
        try await transport.next(to: "/api/auth/logout").fail()
        _ = await (signOut, caller)
        refresh.answer(200, json: Self.rotated)
        try await loseLogout(of: app)
        unreliable.writeFault = nil
        #expect(await failure { try await app.accessToken() } == .signedOut(.requested))
        try await untilLogout(of: "r2")
    }

    @Test func `tokens in use that could not be stored need no logout`() async throws {
        let unreliable = UnreliableStore(store)
        let app = try await unsaved(unreliable)
        await app.reload()
        #expect(app.state.isSignedIn && !app.status.hasPendingLogout)
    }

    @Test func `unsaved tokens are logged out even if another process signs in before the sign-out is stored`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let app = try await unsaved(unreliable)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        async let signOut = failure { try await app.signOut() }
        try await transport.next(to: "/api/auth/logout").fail()
        #expect(await signOut == .storeUnavailable(SessionStoreError(.locked, "locked")))
        bench.clock.advance(by: .milliseconds(100))
        let widget = try melchat(store)
        try await widget.signIn(.tokens(TokenGrant(accessToken: "b1", refreshToken: "rb")))
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        let events = app.events
        unreliable.writeFault = nil
        bench.clock.advance(by: .milliseconds(150))
        for await event in events where event.kind == .saved { break }
        let owed = try #require(try store.read()?.pendingLogouts)
        try #require(owed.contains { $0.refreshToken == "r2" })
        try await untilLogout(of: "r2")
        #expect(try store.read()?.session?.refreshToken == "rb")
    }

    @Test func `a late refresh of the previous session leaves a sign-out that waits for the store as it is`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let app = try await signedIn(unreliable)
        async let caller = failure { try await app.accessToken() }
        let refresh = try await transport.next(to: "/api/auth/refresh")
        try await app.signIn(.tokens(TokenGrant(accessToken: "b1", refreshToken: "rb")))
        #expect(await caller == .signedOut(.replaced))
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        async let signOut = failure { try await app.signOut() }
        try await transport.next(to: "/api/auth/logout").fail()
        #expect(await signOut == .storeUnavailable(SessionStoreError(.locked, "locked")))
        await bench.clock.waitForSleep(for: .milliseconds(250))
        refresh.answer(200, json: Self.rotated)
        try await untilLogout(of: "r2")
        let events = app.events
        unreliable.writeFault = nil
        bench.clock.advance(by: .milliseconds(250))
        for await event in events where event.kind == .saved { break }
        #expect(try store.read()?.session == nil)
    }

    /// The logout of the new token would end the stored session, so that the store does not keep it beside the session.
    @Test func `a refresh that ends before its session's sign-out is stored adds its token to the sign-out`()
        async throws
    {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var bench = bench
        bench.configuration.backgroundAssertion = BackgroundAssertion { _, _ in { end.yield() } }
        let unreliable = UnreliableStore(store)
        let app = try bench.session(contract: .named("melchat"), store: unreliable, transport: transport)
        try await app.signIn(.tokens(TokenGrant(accessToken: "a1", refreshToken: "r1", expiresIn: .seconds(60))))
        bench.clock.advance(by: .seconds(61))
        async let caller = failure { try await app.accessToken() }
        let refresh = try await transport.next(to: "/api/auth/refresh")
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        async let signOut = failure { try await app.signOut() }
        try await transport.next(to: "/api/auth/logout").fail()
        _ = await (signOut, caller)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        unreliable.writeFault = nil
        refresh.answer(200, json: Self.rotated)
        for await _ in ends { break }
        #expect(try store.read()?.pendingLogouts.isEmpty == true)
        let events = app.events
        bench.clock.advance(by: .milliseconds(250))
        for await event in events where event.kind == .saved { break }
        let owed = try #require(try store.read()?.pendingLogouts)
        #expect(owed.contains { $0.refreshToken == "r2" })
    }

    @Test func `a refresh without a new refresh token adds no logout after a sign-out`() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var bench = bench
        bench.configuration.backgroundAssertion = BackgroundAssertion { _, _ in { end.yield() } }
        let app = try bench.session(contract: .named("melchat"), store: store, transport: transport)
        try await app.signIn(.tokens(TokenGrant(accessToken: "a1", refreshToken: "r1", expiresIn: .seconds(60))))
        bench.clock.advance(by: .seconds(61))
        async let caller = failure { try await app.accessToken() }
        let refresh = try await transport.next(to: "/api/auth/refresh")
        async let signOut: Void = app.signOut()
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        try await signOut
        _ = await caller
        refresh.answer(200, json: #"{"success":true,"accessToken":"a2","expiresIn":3600}"#)
        for await _ in ends { break }
        #expect(!app.status.hasPendingLogout)
    }
}
