// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Responses of a server that has proof of a newer generation, and responses that end a session.
@Suite(.timeLimit(.minutes(5))) struct `Superseded and final responses` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    /// Puts what a sibling process would have stored after a refresh of its own.
    private func storeSiblingsTokens(age: Double = 0) throws {
        let record = try #require(try store.read())
        var session = try #require(record.session)
        session.generation += 1
        session.refreshToken = Fixtures.refreshToken(session.generation, of: SessionID(session.id))
        session.intent = nil
        session.accessToken = "siblings"
        session.askedAt = bench.clock.wall.timeIntervalSince1970 - age
        session.askedSinceBoot = bench.clock.now.offset.inSeconds - age
        #expect(try store.replace(record, with: record.with(session)))
    }

    /// A session after its first refresh, whose confirmation is not answered yet, and the record from before.
    private func refreshed(_ store: any SessionStore) async throws -> (session: AuthSession, older: SessionRecord?) {
        let session = try await bench.expiredSession(store: store, transport: transport)
        let older = try store.read()
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await refreshed
        return (session, older)
    }

    @Test func `a superseded refresh uses the tokens that another process stored, and sends no report`() async throws {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        try storeSiblingsTokens()
        refresh.answer(409, json: #"{"error":"superseded"}"#)
        #expect(try await token.value == "siblings")
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `an expired token that another process stored is refreshed after a superseded response`() async throws {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        try storeSiblingsTokens(age: 601)
        refresh.answer(409, json: #"{"error":"superseded"}"#)
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
        #expect(try store.read()?.session?.generation == 2)
    }

    @Test func `a superseded response is not reported while the store has an older generation`() async throws {
        let (session, older) = try await refreshed(store)
        try await transport.next(to: "/v1/confirm").answer(from: bench.backend)
        async let second: Void = session.refresh()
        let refresh = try await transport.next(to: "/v1/refresh")
        try store.overwrite(with: older)
        refresh.answer(409, json: #"{"error":"superseded"}"#)
        // The newer tokens are stored again before any token is presented.
        let next = try await bench.clock.skipPauses { try await transport.next() }
        try #require(next.path == "/v1/refresh")
        #expect(try store.read()?.session?.generation == 1)
        next.answer(from: bench.backend)
        try await second
        #expect(try store.read()?.session?.generation == 2)
        #expect(transport.unclaimed.filter { $0.path != "/v1/confirm" }.isEmpty)
    }

    /// The intent of the first refresh is no longer stored: with another one, its token would be a second holder's.
    @Test func `a store that was set back gets the newer tokens before any token is presented`() async throws {
        let (session, older) = try await refreshed(store)
        // The confirmation is lost.
        try await transport.next(to: "/v1/confirm").fail()
        try store.overwrite(with: older)
        async let second: Void = session.refresh()
        let refresh = try await transport.next(to: "/v1/refresh")
        #expect(try store.read()?.session?.generation == 1)
        refresh.answer(from: bench.backend)
        try await second
        #expect(session.state == .active)
        #expect(try store.read()?.session?.generation == 2)
    }

    @Test func `a client presents only the stored token if the store was set back and cannot be written`() async throws
    {
        let unreliable = UnreliableStore(store)
        let (session, older) = try await refreshed(unreliable)
        try await transport.next(to: "/v1/confirm").answer(from: bench.backend)
        let record = try #require(older)
        var stored = try #require(record.session)
        let intent = Intent.random().text
        stored.intent = intent
        try store.overwrite(with: record.with(stored))
        unreliable.writeFault = SessionStoreError(.failed, "the disk is full")
        async let second = failure { try await session.refresh() }
        let refresh = try await transport.next(to: "/v1/refresh")
        let body = String(decoding: refresh.request.httpBody ?? Data(), as: UTF8.self)
        #expect(body.contains(try #require(stored.refreshToken)) && body.contains(intent))
        refresh.answer(409, json: #"{"error":"superseded"}"#)
        unreliable.writeFault = nil
        let next = try await bench.clock.skipPauses { try await transport.next(to: "/v1/refresh") }
        next.answer(from: bench.backend)
        #expect(await second == nil)
        #expect(try store.read()?.session?.generation == 2)
    }

    @Test func `an unexplained superseded response is reported, and the session ends with the report's reason`()
        async throws
    {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let error = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").answer(409, json: #"{"error":"superseded"}"#)
        let report = try await transport.next(to: "/v1/report")
        report.answer(400, json: #"{"error":"invalid_grant","reason":"stale_holder"}"#)
        #expect(await error == .signedOut(.staleHolder))
        #expect(session.state == .signedOut(.staleHolder))
        #expect(SignOutReason.staleHolder.isTheft)
        #expect(try store.read()?.session == nil)
        // The user is told after a restart, too.
        #expect(try bench.session(store: store).state == .signedOut(.staleHolder))
    }

    @Test(arguments: [204, 503, 404])
    func `a report of a superseded refresh without a verdict does not end the session`(status: Int) async throws {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").answer(409, json: #"{"error":"superseded"}"#)
        try await transport.next(to: "/v1/report").answer(status)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(await token == nil)
    }

    @Test func `a refresh is retried if its report gets a superseded response`() async throws {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        try await transport.next(to: "/v1/refresh").answer(409, json: #"{"error":"superseded"}"#)
        try await transport.next(to: "/v1/report").answer(409, json: #"{"error":"superseded"}"#)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
    }

    @Test(arguments: [true, false])
    func `an unusable response to a report fails the refresh, unless the user has signed out`(
        signsOut: Bool
    ) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var bench = bench
        bench.configuration.backgroundAssertion = BackgroundAssertion { _, _ in { end.yield() } }
        let session = try await bench.expiredSession(store: store, transport: transport)
        let failures = Locked(0)
        session.observe { event in if case .refreshFailed = event.kind { failures.withLock { $0 += 1 } } }
        async let caller = failure { try await session.accessToken() }
        try await transport.next(to: "/v1/refresh").answer(409, json: #"{"error":"superseded"}"#)
        let report = try await transport.next(to: "/v1/report")
        if signsOut {
            async let signOut: Void = session.signOut()
            try await transport.next(to: "/v1/logout").answer(from: bench.backend)
            try await signOut
        }
        report.answer(404, json: #"{"error":"not_found"}"#)
        for await _ in ends { break }
        #expect(await caller == (signsOut ? .signedOut(.requested) : .invalidResponse("404 not_found")))
        #expect(failures.withLock { $0 } == (signsOut ? 0 : 1))
    }

    @Test func `superseded tokens are not reported while newer ones are not stored yet`() async throws {
        let (session, _) = try await bench.unsavedSession(store: UnreliableStore(store), transport: transport)
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/v1/refresh").answer(409, json: #"{"error":"superseded"}"#)
        let next = try await bench.clock.skipPauses { try await transport.next() }
        try #require(next.path == "/v1/refresh")
        next.answer(from: bench.backend)
        try await refreshed
    }

    @Test(arguments: [(409, #"{"error":"superseded"}"#), (400, #"{"error":"invalid_grant"}"#)])
    func `a response for a session that another process has replaced does not affect the new session`(
        status: Int,
        body: String
    ) async throws {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let error = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        let other = try bench.session(store: store)
        try await other.signIn(.password(email: "eve@example.com", password: "correct horse"))
        await other.deliverPendingLogouts()
        let record = try #require(try store.read())
        refresh.answer(status, json: body)
        #expect(await error == .signedOut(.replaced))
        #expect(try store.read() == record)
        #expect(session.status.email == "eve@example.com" && transport.unclaimed.isEmpty)
    }

    /// Another process has newer tokens, which it could not store either.
    @Test func `a superseded refresh is retried after a pause if the latest tokens could not be stored`() async throws {
        let store = UnreliableStore()
        let session = try bench.session(contract: .named("outbox"), store: store, transport: transport)
        try await session.signIn(.tokens(TokenGrant(accessToken: "a1", refreshToken: "r1", expiresIn: .seconds(60))))
        store.writeFault = SessionStoreError(.locked, "locked")
        async let unsaved: Void = session.refresh()
        let path = "/api/v1/auth/refresh"
        let granted = #"{"data":{"access_token":"a2","refresh_token":"r2"}}"#
        try await transport.next(to: path).answer(200, json: granted)
        try await unsaved
        // Until the tokens are stored again.
        await bench.clock.waitForSleep(for: .milliseconds(250))
        async let refreshed: Void = session.refresh()
        try await transport.next(to: path).answer(409, json: #"{"error":"superseded"}"#)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        #expect(transport.unclaimed.isEmpty)
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(250))
        let next = #"{"data":{"access_token":"a3","refresh_token":"r3"}}"#
        try await transport.next(to: path).answer(200, json: next)
        try await refreshed
        #expect(try store.read()?.session?.refreshToken == "r3")
    }

    @Test func `a final response for tokens that another process has replaced does not end the session`() async throws {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        try storeSiblingsTokens()
        refresh.answer(400, json: #"{"error":"invalid_grant"}"#)
        #expect(try await token.value == "siblings")
        #expect(session.state == .active)
    }

    @Test func `a final response does not end the session while the store cannot be read`() async throws {
        let store = UnreliableStore()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let error = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        store.readFault = SessionStoreError(.locked, "locked")
        refresh.answer(400, json: #"{"error":"invalid_grant","reason":"fork"}"#)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        store.readFault = nil
        bench.clock.advance(by: .milliseconds(250))
        let again = try await transport.next(to: "/v1/refresh")
        again.answer(400, json: #"{"error":"invalid_grant","reason":"fork"}"#)
        #expect(await error == .signedOut(.fork))
    }

    @Test(arguments: [true, false])
    func `a refresh response for another session or another user is rejected`(isSameSession: Bool) async throws {
        let session = try await bench.expiredSession(store: store)
        let stored = try #require(try store.read()?.session)
        let id = isSameSession ? SessionID(stored.id) : Fixtures.otherSession
        let user = isSameSession ? "somebody-else" : stored.userID ?? ""
        let foreign = """
            {"access_token":"x","token_type":"Bearer","expires_in":600,"refresh_token":"\(Fixtures.refreshToken(1, of: id))",
            "refresh_expires_in":9,"session_id":"\(id?.description ?? "")","user":{"id":"\(user)"},"server_time":1}
            """
        bench.backend.fail(.answer(status: 200, headers: [:], body: foreign))
        let error = await failure { try await session.accessToken() }
        #expect(error == .invalidResponse("the answer is for another session"))
        #expect(try store.read()?.session?.refreshToken == stored.refreshToken)
    }

    @Test func `an attacker who refreshes first loses access at the owner's next refresh, which reports the theft`()
        async throws
    {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let loot = InMemoryStore()
        try loot.overwrite(with: try store.read())
        bench.clock.advance(by: .seconds(601))
        let thief = try bench.session(store: loot)
        _ = try await thief.accessToken()
        #expect(await failure { try await session.accessToken() }?.isTheft == true)
        #expect(bench.backend.liveSessions == 0)
        bench.clock.advance(by: .seconds(601))
        #expect(await failure { try await thief.accessToken() } != nil)
    }

    /// A session that a final answer has ended, which its store did not take and still does not take.
    private func endedUnrecorded(_ store: UnreliableStore) async throws -> AuthSession {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let error = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        store.writeFault = SessionStoreError(.failed, "the disk is full")
        refresh.answer(400, json: #"{"error":"invalid_grant","reason":"fork"}"#)
        #expect(await error == .signedOut(.fork))
        return session
    }

    @Test func `a session stays ended after a final response that cannot be stored`() async throws {
        let store = UnreliableStore()
        let session = try await endedUnrecorded(store)
        #expect(await failure { try await session.accessToken() } == .signedOut(.fork), "nothing is asked again")
        store.writeFault = nil
        #expect(await failure { try await session.accessToken() } == .signedOut(.fork))
        #expect(try store.read()?.session == nil && store.read()?.ended == .fork)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `the server's reason for the end of a session is reported to every caller, without another refresh`()
        async throws
    {
        let session = try await bench.expiredSession(store: store)
        bench.backend.endSessions(reason: "idle_timeout")
        #expect(await failure { try await session.accessToken() } == .signedOut(.idleTimeout))
        #expect(await failure { try await session.accessToken() } == .signedOut(.idleTimeout))
        #expect(bench.backend.counts.refreshes == 1, "a dead token is not tried again")
    }

    @Test func `a final response that could not be stored is stored later without another call`() async throws {
        let store = UnreliableStore()
        let session = try await endedUnrecorded(store)
        let saving = try #require(await session.driver.savingTask)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(250))
        await saving.value
        let record = try #require(try store.read())
        #expect(record.session == nil && record.ended == .fork)
        #expect(record.pendingLogouts.isEmpty, "the server has ended the session itself")
    }
}

extension SessionError {
    var isTheft: Bool {
        if case .signedOut(let reason?) = self { reason.isTheft } else { false }
    }
}
