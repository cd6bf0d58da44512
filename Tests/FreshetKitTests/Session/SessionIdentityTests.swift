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

/// Requests, tokens and sign-outs that are reported to the server are used for their own session only.
@Suite(.timeLimit(.minutes(5))) struct `Identity of sessions` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    private func tokens(_ access: String, _ refresh: String?, lifetime: Duration = .seconds(3600)) -> SignInCredentials
    {
        .tokens(TokenGrant(accessToken: access, refreshToken: refresh, expiresIn: lifetime))
    }

    /// A session at a backend that rotates without our protocol and has a logout.
    private func melchat(_ store: (any SessionStore)? = nil) throws -> AuthSession {
        try bench.session(
            contract: try Contract.named("melchat"),
            store: store ?? self.store,
            transport: transport
        )
    }

    /// Signs a out everywhere, and b in before the response.
    ///
    /// - Returns: The call of the sign-out, which has no response yet, and its error.
    private func overtakenSignOutEverywhere(
        of session: AuthSession
    ) async throws -> (call: PendingRequest, error: Task<SessionError?, Never>) {
        try await session.signIn(tokens("a1", "ra"))
        let error = Task { await failure { try await session.signOutEverywhere() } }
        let call = try await transport.next(to: "/api/auth/logout-all")
        #expect(call.bearer == "a1")
        try await session.signIn(tokens("b1", "rb"))
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        return (call, error)
    }

    // MARK: A call belongs to the session it began in

    @Test func `a request refused after an account switch is not replayed as the next user`() async throws {
        let session = try melchat()
        try await session.signIn(tokens("a1", "ra"))
        var post = try bench.request()
        post.httpMethod = "POST"
        post.httpBody = Data("a's secret".utf8)
        let sent = post
        async let error = failure { try await session.data(for: sent) }
        let first = try await transport.next(to: "/things")
        #expect(first.bearer == "a1")
        try await session.signIn(tokens("b1", "rb"))
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        first.answer(401)
        #expect(await error == .signedOut(.replaced))
        #expect(transport.unclaimed.isEmpty, "neither a refresh nor a replay")
        #expect(try await session.accessToken().value == "b1")
    }

    @Test func `a sign-out everywhere does not end a session that is signed in meanwhile`() async throws {
        let session = try melchat()
        let (call, error) = try await overtakenSignOutEverywhere(of: session)
        call.answer(200, json: #"{"success":true}"#)
        #expect(await error.value == nil)
        #expect(session.state == .active)
        #expect(try await session.accessToken().value == "b1")
    }

    @Test func `a refused sign-out everywhere is not repeated with the next user's token`() async throws {
        let session = try melchat()
        let (call, error) = try await overtakenSignOutEverywhere(of: session)
        call.answer(401)
        #expect(await error.value == .signedOut(.replaced))
        #expect(transport.unclaimed.isEmpty && session.state == .active)
    }

    @Test func `a caller with a refused token of the previous session gets no token of the next session`() async throws
    {
        let session = try melchat()
        try await session.signIn(tokens("a1", "ra"))
        let refused = try await session.accessToken()
        try await session.signIn(tokens("b1", "rb"))
        #expect(await failure { try await session.accessToken(replacing: refused) } == .signedOut(.replaced))
    }

    // MARK: Two sign-ins with one refresh token are one session

    @Test func `the same tokens adopted by two processes are not logged out`() async throws {
        let (app, widget) = (try melchat(), try melchat())
        try await app.signIn(tokens("a1", "ra"))
        try await widget.signIn(tokens("a1", "ra"))
        try await app.signIn(tokens("a2", "ra"))
        #expect(!app.status.hasPendingLogout && !widget.status.hasPendingLogout)
        #expect(transport.unclaimed.isEmpty)
        #expect(try await app.accessToken().value == "a2")
        #expect(try store.read()?.session?.refreshToken == "ra")
    }

    @Test func `two sign-ins with the same access token and no refresh token are one session`() async throws {
        let session = try melchat()
        try await session.signIn(tokens("legacy", nil))
        try await session.signIn(tokens("legacy", nil))
        #expect(!session.status.hasPendingLogout && transport.unclaimed.isEmpty)
    }

    @Test func `a pending logout is deleted when a sign-in uses its refresh token again`() async throws {
        let session = try melchat()
        try await session.signIn(tokens("a1", "ra"))
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/api/auth/logout").fail()
        try await signOut
        #expect(session.status.hasPendingLogout)
        try await session.signIn(tokens("a2", "ra"))
        #expect(!session.status.hasPendingLogout)
        #expect(try store.read()?.pendingLogouts.isEmpty == true)
    }

    @Test func `sessions of different users are distinct regardless of their tokens`() {
        var (one, other) = (Fixtures.stored(1), Fixtures.stored(1))
        one.id = "x"
        #expect(one.isSameSession(as: other))
        other.userID = "u2"
        #expect(!one.isSameSession(as: other))
    }

    @Test func `a double tap keeps the sign-in that the server granted first`() async throws {
        let session = try melchat()
        let fields = SignInCredentials.fields(
            endpoint: "login.code.verify",
            ["email": "a@example.com", "code": "123456"]
        )
        async let first = session.signIn(fields)
        let tap = try await transport.next()
        async let second = failure { try await session.signIn(fields) }
        let doubleTap = try await transport.next()
        tap.answer(200, json: #"{"success":true,"accessToken":"a1","refreshToken":"ra","expiresIn":3600}"#)
        _ = try await first
        doubleTap.answer(401, json: #"{"success":false,"message":"the code was used"}"#)
        #expect(await second != nil)
        #expect(session.state == .active && transport.unclaimed.isEmpty)
        #expect(try await session.accessToken().value == "a1")
    }

    @Test func `a double tap whose two sign-ins return the same session sends no logout`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = session.signIn(.test)
        let tap = try await transport.next()
        async let second = session.signIn(.test)
        let doubleTap = try await transport.next()
        let grant = try await bench.backend.data(for: tap.request).0
        let text = String(decoding: grant, as: UTF8.self)
        doubleTap.answer(200, json: text)
        _ = try await second
        tap.answer(200, json: text)
        _ = try await first
        #expect(session.state == .active && bench.backend.liveSessions == 1)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a double tap whose first response cannot be stored logs out only a session that is not in use`(
        isSecondStored: Bool
    ) async throws {
        let unreliable = UnreliableStore()
        let session = try bench.session(store: unreliable, transport: transport)
        async let first = failure { try await session.signIn(.test) }
        let tap = try await transport.next()
        async let second: Void? = { _ = try await session.signIn(.test) }()
        let doubleTap = try await transport.next()
        let text = String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self)
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        tap.answer(200, json: text)
        #expect(await first == .storeUnavailable(SessionStoreError(.locked, "locked")))
        #expect(transport.unclaimed.isEmpty, "the second answer may bring the same session")
        if isSecondStored { unreliable.writeFault = nil }
        doubleTap.answer(200, json: text)
        if isSecondStored {
            _ = try await second
            await session.deliverPendingLogouts()
            #expect(session.state == .active && bench.backend.liveSessions == 1)
            #expect(transport.unclaimed.isEmpty && !session.status.hasPendingLogout)
        } else {
            _ = try? await second
            try await transport.next(to: "/v1/logout").answer(from: bench.backend)
            #expect(bench.backend.liveSessions == 0)
        }
    }

    /// Another process delivers what it finds in the store, and knows nothing of a sign-in that is under way here.
    @Test func `a sign-out between two taps gives other processes no logout that ends the second sign-in`()
        async throws
    {
        let (app, widget) = (try bench.session(store: store, transport: transport), try bench.session(store: store))
        async let first = failure { try await app.signIn(.test) }
        let tap = try await transport.next()
        try await app.signOut()
        async let second = app.signIn(.test)
        let doubleTap = try await transport.next()
        let text = String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self)
        tap.answer(200, json: text)
        #expect(await first == .signedOut(.requested))
        await widget.reload()
        await widget.deliverPendingLogouts()
        #expect(bench.backend.counts.logouts == 0)
        doubleTap.answer(200, json: text)
        _ = try await second
        await app.deliverPendingLogouts()
        #expect(app.state == .active && bench.backend.liveSessions == 1 && transport.unclaimed.isEmpty)
    }

    @Test func `the second response of a double tap does not restore a session that another process signed out`()
        async throws
    {
        let app = try bench.session(store: store, transport: transport)
        let away = ManualTransport()
        let widget = try bench.session(store: store, transport: away)
        async let first = app.signIn(.test)
        let tap = try await transport.next()
        async let second = failure { try await app.signIn(.test) }
        let doubleTap = try await transport.next()
        let text = String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self)
        tap.answer(200, json: text)
        _ = try await first
        await widget.reload()
        async let signOut: Void = widget.signOut()
        let logout = try await away.next(to: "/v1/logout")
        doubleTap.answer(200, json: text)
        #expect(await second == .signedOut(.requested))
        logout.answer(from: bench.backend)
        try await signOut
        #expect(try store.read()?.session == nil && bench.backend.liveSessions == 0)
    }

    @Test func `a reload during a refresh adopts the user who signed in by another process`() async throws {
        let other = try bench.session(store: store)
        try await other.signIn(.test)
        bench.clock.advance(by: .seconds(601))
        let app = try bench.session(store: store, transport: transport)
        async let refreshed = failure { try await app.refresh() }
        let refresh = try await transport.next(to: "/v1/refresh")
        try await other.signOut()
        try await other.signIn(.password(email: "bea@example.com", password: "correct horse"))
        await app.reload()
        #expect(app.status.userID == other.status.userID && app.state == .active)
        #expect(await refreshed == .signedOut(.replaced))
        // The response of the refresh comes late, and changes nothing.
        refresh.answer(from: bench.backend)
        await app.deliverPendingLogouts()
        #expect(app.status.userID == other.status.userID && bench.backend.liveSessions == 1)
    }

    // MARK: What a sign-out owes

    @Test func `a sign-out during a refresh logs out the refresh token that the refresh returns`() async throws {
        let session = try melchat()
        try await session.signIn(tokens("a1", "r1", lifetime: .seconds(60)))
        bench.clock.advance(by: .seconds(61))
        async let caller = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/api/auth/refresh")
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        try await signOut
        #expect(await caller == .signedOut(.requested))
        refresh.answer(200, json: #"{"success":true,"accessToken":"a2","refreshToken":"r2","expiresIn":3600}"#)
        let logout = try await transport.next(to: "/api/auth/logout")
        #expect(String(decoding: logout.request.httpBody ?? Data(), as: UTF8.self).contains("r2"))
        logout.answer(200, json: #"{"success":true}"#)
    }

    @Test func `a sign-out also logs out the tokens that could not be stored`() async throws {
        let unreliable = UnreliableStore()
        let session = try melchat(unreliable)
        try await session.signIn(tokens("a1", "r1", lifetime: .seconds(60)))
        bench.clock.advance(by: .seconds(61))
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        async let token = session.accessToken()
        try await transport.next(to: "/api/auth/refresh").answer(
            200,
            json: #"{"success":true,"accessToken":"a2","refreshToken":"r2","expiresIn":3600}"#
        )
        #expect(try await token.value == "a2")
        unreliable.writeFault = nil
        async let signOut: Void = session.signOut()
        let bodies = [
            try await transport.next(to: "/api/auth/logout"), try await transport.next(to: "/api/auth/logout"),
        ]
        for call in bodies { call.answer(200, json: #"{"success":true}"#) }
        try await signOut
        let told = bodies.map { String(decoding: $0.request.httpBody ?? Data(), as: UTF8.self) }.joined()
        #expect(told.contains("r1") && told.contains("r2"))
    }

    @Test func `a sign-out is delivered while an earlier one still waits for a response`() async throws {
        let session = try melchat()
        try await session.signIn(tokens("a1", "ra"))
        let first = Task { try await session.signOut() }
        let stuck = try await transport.next(to: "/api/auth/logout")
        try await session.signIn(tokens("b1", "rb"))
        let second = Task { try await session.signOut() }
        let logout = try await transport.next(to: "/api/auth/logout")
        #expect(String(decoding: logout.request.httpBody ?? Data(), as: UTF8.self).contains("rb"))
        logout.answer(200, json: #"{"success":true}"#)
        try await second.value
        #expect(session.status.hasPendingLogout, "the first is still to be told")
        stuck.answer(200, json: #"{"success":true}"#)
        try await first.value
        #expect(!session.status.hasPendingLogout)
    }

    @Test func `a sign-out everywhere does not end a session signed in meanwhile, even if the store cannot be read`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let session = try melchat(unreliable)
        let (call, error) = try await overtakenSignOutEverywhere(of: session)
        unreliable.readFault = SessionStoreError(.locked, "locked")
        call.answer(200, json: #"{"success":true}"#)
        #expect(await error.value == nil)
        #expect(session.state == .active)
        #expect(try await session.accessToken().value == "b1")
    }

    @Test func `signing out everywhere does not report that the next user's sign-out could not be stored`() async throws
    {
        let unreliable = UnreliableStore(store)
        let session = try melchat(unreliable)
        let (call, error) = try await overtakenSignOutEverywhere(of: session)
        unreliable.writeFault = SessionStoreError(.failed, "the disk is full")
        async let next = failure { try await session.signOut() }
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        #expect(await next == .storeUnavailable(SessionStoreError(.failed, "the disk is full")))
        call.answer(200, json: #"{"success":true}"#)
        #expect(await error.value == nil)
    }

    @Test func `a sign-in with the tokens of the stored session continues it`() async throws {
        let (app, widget) = (try melchat(), try melchat())
        try await app.signIn(tokens("a1", "ra"))
        try await widget.signIn(tokens("a1", "ra"))
        #expect(widget.status.sessionID == app.status.sessionID)
        #expect(try store.read()?.pendingLogouts.isEmpty == true)
    }

    @Test func `a sign-in does not continue the session of another server, even with the same tokens`() async throws {
        let other = try AuthSession(
            contract: .named("melchat"),
            baseURL: Fixtures.url("https://other.example"),
            store: store,
            transport: transport,
            clock: bench.clock
        )
        try await other.signIn(tokens("a1", "ra"))
        let session = try melchat()
        try await session.signIn(tokens("a1", "ra"))
        #expect(session.status.sessionID != other.status.sessionID)
        #expect(try store.read()?.origin == Fixtures.origin)
    }
}
