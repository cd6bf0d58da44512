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

/// Backends that take each refresh token once and give no grace: a second attempt may be taken for a thief's.
@Suite(.timeLimit(.minutes(5))) struct `Single-use refresh tokens` {
    let clock = TestClock()
    let transport = ManualTransport()
    let store = InMemoryStore()

    /// A session of a process that uses `store`, before a sign-in.
    private func process(on store: any SessionStore, reuseGrace: Int = 0) throws -> AuthSession {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"t","title":"T","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}},
                "logout":{"path":"/out","json":{"t":"$refresh_token"}}},
                "rotation":"always","reuseGrace":\(reuseGrace),"reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}]},
                "classify":[{"on":"refresh","status":401,"if":{"at":"/error","equals":"reused"},
                "outcome":"sessionEnded","reason":"reused"}]}
                """.utf8
            )
        )
        return try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: store,
            transport: transport,
            clock: clock
        )
    }

    /// A session whose access token has expired.
    private func session(reuseGrace: Int = 0, store: (any SessionStore)? = nil) async throws -> AuthSession {
        let session = try process(on: store ?? self.store, reuseGrace: reuseGrace)
        try await session.signIn(.tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600))))
        clock.advance(by: .seconds(601))
        return session
    }

    private func body(_ request: PendingRequest) -> String {
        String(decoding: request.request.httpBody ?? Data(), as: UTF8.self)
    }

    /// Refreshes until the caller's time is over, and returns the attempt, which has no answer yet.
    private func unanswered(_ session: AuthSession) async throws -> PendingRequest {
        async let error = failure { try await session.accessToken() }
        let request = try await transport.next(to: "/r")
        await clock.waitForSleep(for: .seconds(30))
        clock.advance(by: .seconds(30))
        guard case .offline = await error else {
            Issue.record("offline is expected")
            return request
        }
        return request
    }

    /// Returns a caller's first attempt, which has no answer yet; the second one is sent next.
    private func overdue() async throws -> PendingRequest {
        let request = try await transport.next(to: "/r")
        await clock.waitForSleep(for: .seconds(10))
        clock.advance(by: .seconds(10))
        await clock.waitForSleep(for: .milliseconds(250))
        clock.advance(by: .milliseconds(250))
        return request
    }

    private let granted = #"{"a":"a1","r":"r1","e":600}"#

    @Test func `a refresh of a single-use token waits longer than the usual timeout for its response`() async throws {
        let session = try await session()
        async let token = session.accessToken()
        let request = try await transport.next(to: "/r")
        await clock.waitForSleep(for: .seconds(30))
        clock.advance(by: .seconds(29))
        #expect(transport.unclaimed.isEmpty, "a second attempt would present a token that is used up")
        request.answer(200, json: granted)
        #expect(try await token.value == "a1")
    }

    @Test func `a refresh response is adopted even if no caller waits for it`() async throws {
        let session = try await session()
        let events = session.events
        let request = try await unanswered(session)
        for await event in events { if case .refreshFailed = event.kind { break } }
        request.answer(200, json: granted)
        for await event in events { if case .refreshed = event.kind { break } }
        #expect(try await session.accessToken().value == "a1")
        #expect(try store.read()?.session?.refreshToken == "r1")
        #expect(transport.unclaimed.isEmpty && session.state == .active)
    }

    /// The token can be used again for a while, but the next attempt may come later than that.
    @Test func `a refresh response that arrives after its attempt's timeout is adopted, also with a grace period`()
        async throws
    {
        let session = try await session(reuseGrace: 30)
        async let first = failure { try await session.accessToken() }
        let slow = try await overdue()
        let again = try await transport.next(to: "/r")
        #expect(body(again) == body(slow))
        again.answer(401, json: #"{"error":"reused"}"#)
        slow.answer(200, json: granted)
        #expect(await first == nil)
        #expect(try store.read()?.session?.refreshToken == "r1")
    }

    @Test func `a refused second attempt does not end the session while the first has no response`() async throws {
        let session = try await session()
        let events = session.events
        async let first = failure { try await session.accessToken() }
        let slow = try await transport.next(to: "/r")
        await clock.waitForSleep(for: .seconds(30))
        clock.advance(by: .seconds(20))
        async let second = session.accessToken()
        for await event in events where event.kind == .joined { break }
        clock.advance(by: .seconds(10))
        guard case .offline = await first else {
            Issue.record("offline is expected")
            return
        }
        await clock.waitForSleep(for: .milliseconds(250))
        clock.advance(by: .milliseconds(250))
        let again = try await transport.next(to: "/r")
        #expect(body(again) == body(slow))
        again.answer(401, json: #"{"error":"reused"}"#)
        await clock.waitForSleep(for: .milliseconds(500))
        #expect(session.state.isSignedIn)
        slow.answer(200, json: granted)
        #expect(try await second.value == "a1")
        let pause = await session.driver.retryPause
        #expect(pause?.task.isCancelled != false, "the refresh does not wait for the end of its pause")

        // With the first attempt answered, the next refusal counts.
        async let refreshed = failure { try await session.refresh() }
        let last = try await transport.next(to: "/r")
        #expect(body(last) == #"{"t":"r1"}"#)
        last.answer(401, json: #"{"error":"reused"}"#)
        #expect(await refreshed == .signedOut(.reuse))
    }

    @Test func `a refused refresh ends the session once the earlier attempt has failed`() async throws {
        let session = try await session()
        let events = session.events
        let slow = try await unanswered(session)
        for await event in events { if case .refreshFailed = event.kind { break } }
        slow.fail()
        for late in await session.driver.lateAttempts.values { await late.task.value }
        async let second = failure { try await session.accessToken() }
        try await transport.next(to: "/r").answer(401, json: #"{"error":"reused"}"#)
        #expect(await second == .signedOut(.reuse))
    }

    @Test func `a refresh token that arrives after a sign-out is sent to the logout endpoint as well`() async throws {
        let session = try await session()
        let slow = try await unanswered(session)
        async let signedOut: Void = session.signOut()
        let logout = try await transport.next(to: "/out")
        #expect(body(logout) == #"{"t":"r0"}"#)
        logout.answer(200)
        try await signedOut
        slow.answer(200, json: granted)
        let second = try await transport.next(to: "/out")
        #expect(body(second) == #"{"t":"r1"}"#)
        second.answer(200)
        #expect(session.state == .signedOut(.requested))
    }

    @Test(arguments: [
        ("authservice", 30), ("outbox", 30), ("creatist", 30), ("supabase", 30), ("tymon-jwt-auth", 30),
        ("freshet", 10), ("google", 10), ("entra", 10), ("okta", 10),
    ])
    func `a refresh attempt gets the caller's whole timeout if a repeated attempt may end the session`(
        preset: String,
        seconds: Int
    ) throws {
        let timeout = try Contract.named(preset).refreshTimeout(attempt: .seconds(10), caller: .seconds(30))
        #expect(timeout == .seconds(seconds))
    }

    // MARK: Whose token it is

    /// A token of three parts with these claims, without a signature.
    private func jwt(_ claims: String) -> String {
        let parts = [#"{"alg":"none"}"#, claims, "sig"].map { Data($0.utf8).base64EncodedString() }
        return parts.joined(separator: ".").replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @Test func `a refresh response with another subject's access token is refused, and the session is kept`()
        async throws
    {
        let session = try await session()
        for (answer, isTaken) in [("u1", true), ("u2", false)] {
            let token = jwt(#"{"sub":"\#(answer)","exp":4000000000,"iat":1800000000}"#)
            async let error = failure { try await session.refresh() }
            try await transport.next(to: "/r").answer(200, json: #"{"a":"\#(token)","r":"r-\#(answer)","e":600}"#)
            if isTaken {
                #expect(await error == nil)
            } else {
                #expect(await error == .invalidResponse("the access token is for another subject"))
            }
        }
        let stored = try #require(try store.read()?.session)
        #expect(UnverifiedJWT(stored.accessToken)?.subject == "u1" && stored.refreshToken == "r-u1")
        #expect(session.state.isSignedIn)
    }

    @Test func `a numeric subject equals its text, and an opaque token has no subject to compare`() async throws {
        let session = try await session()
        for token in [jwt(#"{"sub":7}"#), jwt(#"{"sub":"7"}"#), "opaque", jwt(#"{"sub":"8"}"#)] {
            async let error = failure { try await session.refresh() }
            try await transport.next(to: "/r").answer(200, json: #"{"a":"\#(token)","r":"r1","e":600}"#)
            #expect(await error == nil)
        }
    }

    // MARK: Late responses

    @Test func `a late response is ignored after a later attempt has succeeded`() async throws {
        let session = try await session(reuseGrace: 30)
        async let first = failure { try await session.accessToken() }
        let slow = try await overdue()
        try await transport.next(to: "/r").answer(200, json: #"{"a":"a2","r":"r2","e":600}"#)
        #expect(await first == nil)
        let late = try #require(await session.driver.lateAttempts.values.first)
        slow.answer(200, json: granted)
        await late.task.value
        #expect(try store.read()?.session?.refreshToken == "r2")
        #expect(try await session.accessToken().value == "a2")
    }

    /// Both rotations are the server's: the second one is the newer.
    @Test func `the second successor of one token is stored as newer than the first`() async throws {
        let session = try await session(reuseGrace: 30)
        let (refreshes, refreshed) = AsyncStream.makeStream(of: Void.self)
        session.observe { event in if case .refreshed = event.kind { refreshed.yield() } }
        async let first = failure { try await session.accessToken() }
        let slow = try await overdue()
        let again = try await transport.next(to: "/r")
        slow.answer(200, json: granted)
        #expect(await first == nil)
        #expect(try store.read()?.session?.generation == 1)
        again.answer(200, json: #"{"a":"a2","r":"r2","e":600}"#)
        var completed = 0
        for await _ in refreshes {
            completed += 1
            if completed == 2 { break }
        }
        let stored = try #require(try store.read()?.session)
        #expect(stored.refreshToken == "r2" && stored.generation == 2)
    }

    @Test func `a late response with another subject's access token is refused`() async throws {
        let session = try await session()
        let own = jwt(#"{"sub":"u1","exp":4000000000,"iat":1800000000}"#)
        async let refreshed = failure { try await session.refresh() }
        try await transport.next(to: "/r").answer(200, json: #"{"a":"\#(own)","r":"r1","e":600}"#)
        #expect(await refreshed == nil)
        clock.advance(by: .seconds(601))
        let slow = try await unanswered(session)
        let late = try #require(await session.driver.lateAttempts.values.first)
        let other = jwt(#"{"sub":"u2","exp":4000000000,"iat":1800000000}"#)
        slow.answer(200, json: #"{"a":"\#(other)","r":"r2","e":600}"#)
        await late.task.value
        let stored = try #require(try store.read()?.session)
        #expect(stored.accessToken == own && stored.refreshToken == "r1")
    }

    @Test func `a sign-out logs out both the stored and the unsaved refresh token of one access token`() async throws {
        let unreliable = UnreliableStore(store)
        let session = try await session(store: unreliable)
        unreliable.writeFault = SessionStoreError(.failed, "the disk is full")
        async let refreshed = failure { try await session.refresh() }
        try await transport.next(to: "/r").answer(200, json: #"{"a":"a0","r":"r1","e":600}"#)
        #expect(await refreshed == nil)
        unreliable.writeFault = nil
        async let signedOut: Void = session.signOut()
        var told: Set<String> = []
        for _ in 1...2 {
            let logout = try await transport.next(to: "/out")
            told.insert(body(logout))
            logout.answer(204)
        }
        try await signedOut
        #expect(told == [#"{"t":"r0"}"#, #"{"t":"r1"}"#])
    }

    @Test func `a refused refresh does not end the session while one of two late attempts has no response`()
        async throws
    {
        let session = try await session()
        var late: [PendingRequest] = []
        for _ in 1...2 {
            let events = session.events
            late.append(try await unanswered(session))
            for await event in events { if case .refreshFailed = event.kind { break } }
            clock.advance(by: .seconds(5))
        }
        let attempts = await session.driver.lateAttempts
        #expect(attempts.count == 2)
        late[0].fail()
        await attempts[attempts.keys.min() ?? 0]?.task.value
        async let third = failure { try await session.accessToken() }
        try await transport.next(to: "/r").answer(401, json: #"{"error":"reused"}"#)
        await clock.waitForSleep { $0 < .seconds(10) }
        #expect(session.state.isSignedIn)
        late[1].answer(200, json: granted)
        #expect(await third == nil)
        #expect(try store.read()?.session?.refreshToken == "r1")
    }

    @Test func `tokens that arrive after a sign-in as another user are not used, and their session is signed out`()
        async throws
    {
        let session = try await session()
        let slow = try await unanswered(session)
        try await session.signIn(.tokens(TokenGrant(accessToken: "b0", refreshToken: "rb", expiresIn: .seconds(600))))
        try await transport.next(to: "/out").answer(200)
        let late = try #require(await session.driver.lateAttempts.values.first)
        slow.answer(200, json: granted)
        await late.task.value
        #expect(try store.read()?.session?.refreshToken == "rb")
        #expect(try await session.accessToken().value == "b0")
        let second = try await transport.next(to: "/out")
        #expect(body(second) == #"{"t":"r1"}"#)
        second.answer(200)
    }

    @Test func `a late response that cannot be stored is stored later, also during another attempt`() async throws {
        let unreliable = UnreliableStore(store)
        let session = try await session(reuseGrace: 30, store: unreliable)
        async let first = failure { try await session.accessToken() }
        let slow = try await overdue()
        let again = try await transport.next(to: "/r")
        unreliable.writeFault = SessionStoreError(.locked, "the device is locked")
        slow.answer(200, json: granted)
        #expect(await first == nil)
        let saving = try #require(await session.driver.savingTask)
        await clock.waitForSleep(for: .milliseconds(250))
        unreliable.writeFault = nil
        clock.advance(by: .milliseconds(250))
        await saving.value
        #expect(try store.read()?.session?.refreshToken == "r1")
        again.fail()
    }

    // MARK: An end by the server that could not be stored

    /// A session that the server has ended and the store still has; the store cannot be written.
    private func endedSession(_ unreliable: UnreliableStore) async throws -> AuthSession {
        let session = try await session(store: unreliable)
        async let error = failure { try await session.accessToken() }
        let request = try await transport.next(to: "/r")
        unreliable.writeFault = SessionStoreError(.locked, "the device is locked")
        request.answer(401, json: #"{"error":"reused"}"#)
        #expect(await error == .signedOut(.reuse))
        return session
    }

    private let nextTokens = SignInCredentials.tokens(
        TokenGrant(accessToken: "b0", refreshToken: "rb", expiresIn: .seconds(600))
    )

    @Test func `a session end that cannot be stored does not hide another process's new session`() async throws {
        let session = try await endedSession(UnreliableStore(store))
        try await process(on: store).signIn(nextTokens)
        try await transport.next(to: "/out").answer(200)
        #expect(try await session.accessToken().value == "b0")
    }

    @Test func `a sign-in sends no logout for a session that the server ended, even if the end could not be stored`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let session = try await endedSession(unreliable)
        // Another process has removed the session.
        try store.overwrite(with: nil)
        unreliable.writeFault = nil
        try await session.signIn(nextTokens)
        #expect(try store.read()?.pendingLogouts.isEmpty == true)
        #expect(transport.unclaimed.isEmpty)
    }

    @Test func `the refresh lock timeout is 50 seconds for single-use tokens and 10 seconds for confirmed refreshes`()
        async throws
    {
        #expect(try await session().driver.refreshLockTimeout == .seconds(50))
        let confirmed = try SessionFixture().session()
        #expect(await confirmed.driver.refreshLockTimeout == .seconds(10))
    }
}
