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

@Suite(.timeLimit(.minutes(5))) struct `Sign-in` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    @Test func `a sign-in is stored when it returns`() async throws {
        let session = try bench.session(store: store)
        #expect(session.state == .signedOut(nil))
        try await session.signIn(.test)
        #expect(session.state == .active)
        let status = session.status
        #expect(status.email == "ada@example.com" && status.generation == 0 && status.isSaved)
        #expect(status.accessTokenExpiresAt == bench.clock.wall.addingTimeInterval(600))
        #expect(try bench.session(store: store).status == status)
    }

    @Test func `a code verification sends the attempt and its intent, and a retry repeats the same body`() async throws
    {
        let session = try bench.session(store: store, transport: transport)
        async let asked = session.requestEmailCode(email: "ada@example.com")
        try await transport.next(to: "/v1/login/code").answer(202, json: #"{"attempt":"a7","expires_in":600}"#)
        let attempt = try await asked
        #expect(attempt.expiresAt == bench.clock.wall.addingTimeInterval(600))
        // A tool puts it down between two runs.
        let kept = try JSONDecoder().decode(EmailCodeAttempt.self, from: JSONEncoder().encode(attempt))
        #expect(kept == attempt)

        async let signedIn = session.signIn(.emailCode(kept, code: "123456"))
        let lost = try await transport.next(to: "/v1/login/code/verify")
        lost.fail()
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        let again = try await transport.next(to: "/v1/login/code/verify")
        let sent = try JSONDecoder().decode(CodeVerification.self, from: again.request.httpBody ?? Data())
        #expect(sent.attempt == "a7" && sent.code == "123456" && sent.intent == attempt.intent)
        #expect(again.request.httpBody == lost.request.httpBody, "a lost answer burns no code")
        again.answer(from: bench.backend)
        _ = try await signedIn
        #expect(session.state == .active)
    }

    @Test(arguments: [
        (400, "invalid_grant", SessionError.refused(code: "invalid_grant", message: "Wrong.")),
        (400, "invalid_request", .refused(code: "invalid_request", message: "Wrong.")),
        (409, "conflict", .refused(code: "conflict", message: "Wrong.")),
        (404, "not_found", .invalidResponse("404 not_found")),
        (503, "unavailable", .offline(retryAfter: .seconds(9))),
        (429, "too_many_requests", .offline(retryAfter: .seconds(9))),
    ])
    func `a failed sign-in throws an error for the server's status and code, and stores nothing`(
        status: Int,
        code: String,
        expected: SessionError
    ) async throws {
        let session = try bench.session(store: store, transport: transport)
        async let error = failure { try await session.signIn(.test) }
        try await transport.next().answer(
            status,
            headers: ["Retry-After": "9"],
            json: #"{"error":"\#(code)","error_description":"Wrong."}"#
        )
        #expect(await error == expected)
        #expect(session.state == .signedOut(nil))
        #expect(try store.read() == nil)
    }

    @Test func `a lost connection and a cancellation during a sign-in are reported to the caller`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let error = failure { try await session.signUp(email: "a@b", password: "p") }
        try await transport.next(to: "/v1/signup").fail()
        #expect(await error == .offline(retryAfter: nil, failure: .connectionLost))

        let caller = Task { await failure { try await session.signIn(.test) } }
        _ = try await transport.next()
        caller.cancel()
        #expect(await caller.value == .cancelled)
    }

    @Test func `tokens of the app's own login are adopted`() async throws {
        let session = try bench.session(store: store)
        let tokens = TokenGrant(
            accessToken: "own",
            refreshToken: Fixtures.refreshToken(0),
            expiresIn: .seconds(60),
            userID: "u9"
        )
        try await session.signIn(.tokens(tokens))
        #expect(try await session.accessToken().value == "own")
        #expect(session.status.userID == "u9" && session.status.sessionID == Fixtures.session?.description)
        let odd = TokenGrant(accessToken: "own", refreshToken: "opaque")
        guard case .misconfigured = await failure(of: { try await session.signIn(.tokens(odd)) }) else {
            Issue.record("a configuration mistake is expected")
            return
        }
        #expect(session.state == .active)
    }

    @Test func `a sign-in with the same tokens does not interrupt their refresh, and keeps its intent`()
        async throws
    {
        let session = try bench.session(store: store, transport: transport)
        let tokens = TokenGrant(accessToken: "own", refreshToken: Fixtures.refreshToken(0), expiresIn: .seconds(60))
        try await session.signIn(.tokens(tokens))
        async let error = failure { try await session.refresh() }
        let first = try await transport.next(to: "/v1/refresh")
        let intent = try store.read()?.session?.intent
        try await session.signIn(.tokens(tokens))
        #expect(try store.read()?.session?.intent == intent && intent != nil, "another intent would be a fork")
        #expect(transport.unclaimed.isEmpty)
        first.answer(400, json: #"{"error":"invalid_grant"}"#)
        #expect(await error == .signedOut(.unspecified))
    }

    @Test func `an account switch discards the refresh in progress, and ends the old session on the server`()
        async throws
    {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let stranded = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        async let switched = session.signIn(.password(email: "eve@example.com", password: "p"))
        try await transport.next(to: "/v1/login/password").answer(from: bench.backend)
        _ = try await switched
        #expect(await stranded == .signedOut(.replaced), "no caller gets a stranger's token")
        refresh.answer(from: bench.backend)
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(session.status.email == "eve@example.com")
        #expect(try store.read()?.session?.email == "eve@example.com")
        #expect(try store.read()?.session?.generation == 0)
        #expect(bench.backend.liveSessions == 1)
    }

    @Test func `a sign-in fails if a later one completes first, and its session on the server is ended`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = failure { try await session.signIn(.test) }
        let slow = try await transport.next(to: "/v1/login/password")
        async let second = session.signIn(.password(email: "eve@example.com", password: "p"))
        try await transport.next(to: "/v1/login/password").answer(from: bench.backend)
        _ = try await second
        slow.answer(from: bench.backend)
        let error = await first
        try #require(error == .signedOut(.replaced))
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(session.status.email == "eve@example.com" && bench.backend.liveSessions == 1)
    }

    /// The response of a repeated sign-in has the tokens of the first one.
    @Test func `a sign-in that returns the stored session uses its newer tokens`() async throws {
        let others = ManualTransport()
        let app = try bench.session(store: store, transport: transport)
        let widget = try bench.session(store: store, transport: others)
        async let first = app.signIn(.test)
        let request = try await transport.next()
        let grant = String(decoding: try await bench.backend.data(for: request.request).0, as: UTF8.self)
        request.answer(200, json: grant)
        _ = try await first
        async let refreshed: Void = app.refresh()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await refreshed
        async let again = widget.signIn(.test)
        try await others.next().answer(200, json: grant)
        _ = try await again
        #expect(widget.status.generation == 1 && widget.status.isSaved)
        #expect(try await widget.accessToken().value == "access-2")
    }

    @Test func `a code request after a sign-out has the device's last refresh token`() async throws {
        let session = try bench.session(store: store, transport: transport)
        async let first = session.signIn(.test)
        try await transport.next().answer(from: bench.backend)
        _ = try await first
        let token = try #require(try store.read()?.session?.refreshToken)
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        try await signOut
        async let second = session.requestEmailCode(email: "ada@example.com")
        let code = try await transport.next(to: "/v1/login/code")
        #expect(String(decoding: code.request.httpBody ?? Data(), as: UTF8.self).contains(token))
        code.answer(202, json: #"{"attempt":"a7","expires_in":600}"#)
        _ = try await second
    }

    @Test func `a sign-in that completes after a sign-out fails, and leaves no session in the store or on the server`()
        async throws
    {
        let session = try bench.session(store: store, transport: transport)
        async let error = failure { try await session.signIn(.test) }
        let pending = try await transport.next(to: "/v1/login/password")
        try await session.signOut()
        pending.answer(from: bench.backend)
        #expect(await error == .signedOut(.requested))
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(session.state == .signedOut(.requested))
        #expect(try store.read()?.session == nil)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `a session rejects a base URL without HTTPS, except for the loopback address`() throws {
        #expect(throws: SessionError.self) {
            try AuthSession(baseURL: try Fixtures.url("http://example.com"), store: store)
        }
        #expect(throws: SessionError.self) { try AuthSession(baseURL: try Fixtures.url("file:///x"), store: store) }
        _ = try AuthSession(baseURL: try Fixtures.url("http://127.0.0.1:8080"), store: store)
    }
}
