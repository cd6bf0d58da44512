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

@Suite(.timeLimit(.minutes(5))) struct `Sign-out` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    @Test func `a sign-out during a refresh deletes the session, regardless of later responses`() async throws {
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let caller = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        let signOut = Task { try await session.signOut() }
        let logout = try await transport.next(to: "/v1/logout")
        #expect(session.state == .signedOut(.requested), "at once, before the server answers")
        #expect(await caller == .signedOut(.requested))
        refresh.answer(from: bench.backend)
        logout.answer(from: bench.backend)
        try await signOut.value
        #expect(try store.read() == nil)
        #expect(session.state == .signedOut(.requested))
        #expect(bench.backend.liveSessions == 0)
        #expect(await failure { try await session.accessToken() } == .signedOut(.requested))
        #expect(transport.unclaimed.isEmpty, "nothing is confirmed for a session that is gone")
    }

    @Test func `a sign-out without a network deletes the session locally, and revokes it on the server later`()
        async throws
    {
        let session = try bench.session(store: store, transport: transport)
        async let signIn = session.signIn(.test)
        try await transport.next().answer(from: bench.backend)
        _ = try await signIn

        async let signOut: Void = session.signOut()
        try await transport.next(to: "/v1/logout").fail()
        try await signOut
        #expect(session.state == .signedOut(.requested))
        #expect(session.status.hasPendingLogout)
        #expect(try store.read()?.session == nil)
        let text = try String(decoding: #require(try store.read()).encoded(), as: UTF8.self)
        #expect(!text.contains("access-1"))

        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/logout").answer(503)
        await bench.clock.waitForSleep(for: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `the next launch delivers a sign-out that the server has not received`() async throws {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/v1/logout").fail()
        try await signOut

        let launch = ManualTransport()
        let next = try bench.session(store: store, transport: launch)
        #expect(next.state == .signedOut(.requested) && next.status.hasPendingLogout)
        try await launch.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 0)
    }

    @Test func `a pending sign-out is still delivered after a later sign-in`() async throws {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/v1/logout").fail()
        try await signOut
        async let signIn = session.signIn(.test)
        try await transport.next(to: "/v1/login/password").answer(from: bench.backend)
        _ = try await signIn
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        #expect(bench.backend.liveSessions == 1)
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test(arguments: [#"{"error":"invalid_grant","reason":"logout"}"#, #"{"error":"invalid_grant"}"#])
    func `a sign-out is complete if the server responds that the session has already ended`(body: String) async throws {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        async let signOut: Void = session.signOut()
        try await transport.next(to: "/v1/logout").answer(400, json: body)
        try await signOut
        #expect(try store.read() == nil)
        #expect(!session.status.hasPendingLogout)
    }

    @Test func `a caller can wait until the sign-out of a replaced session is delivered`() async throws {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        async let signIn = session.signIn(.test)
        try await transport.next().answer(from: bench.backend)
        _ = try await signIn
        #expect(session.status.hasPendingLogout)
        let delivery = Task { await session.deliverPendingLogouts() }
        try await transport.next(to: "/v1/logout").answer(from: bench.backend)
        await delivery.value
        #expect(!session.status.hasPendingLogout)
        #expect(await session.driver.logoutTask == nil, "no timer is left")
        #expect(bench.backend.liveSessions == 1)
        await session.deliverPendingLogouts()
        #expect(transport.unclaimed.isEmpty, "nothing is left to tell")
    }

    @Test func `a cancelled sign-out does not wait for the server, and takes effect locally`() async throws {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        let signOut = Task { try await session.signOut() }
        let logout = try await transport.next(to: "/v1/logout")
        signOut.cancel()
        try await signOut.value
        #expect(session.state == .signedOut(.requested) && session.status.hasPendingLogout)
        logout.answer(from: bench.backend)
    }

    @Test func `a sign-out of a session whose record was deleted is delivered`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        try store.overwrite(with: nil)
        try await session.signOut()
        #expect(bench.backend.counts.logouts == 1 && bench.backend.liveSessions == 0)
        #expect(try store.read() == nil)
    }

    @Test func `the current tokens are not returned for the sign-out of a replaced session`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let fault = await failure { _ = try await session.driver.currentTokens(of: "other") }
        #expect(fault == .signedOut(.replaced))
    }

    @Test func `a sign-out everywhere may present the refresh token in place of the access token`() async throws {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"t","title":"T","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}},
                "logoutAll":{"path":"/out","json":{"t":"$refresh_token"}}},
                "rotation":"always","reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}]}}
                """.utf8
            )
        )
        let session = try bench.session(contract: contract, store: store, transport: transport)
        let grant = TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600))
        try await session.signIn(.tokens(grant))
        async let signedOut: Void = session.signOutEverywhere()
        let call = try await transport.next(to: "/out")
        #expect(String(decoding: call.request.httpBody ?? Data(), as: UTF8.self) == #"{"t":"r0"}"#)
        call.answer(200)
        try await signedOut
        #expect(session.state == .signedOut(.requested))
    }

    @Test func `a sign-out without a session is no error, and sends no request`() async throws {
        let session = try bench.session(store: store, transport: transport)
        try await session.signOut()
        #expect(transport.unclaimed.isEmpty)
        #expect(try store.read() == nil)
        #expect(session.status.isRenewable, "only a session can lack a refresh token")
    }

    @Test func `a sign-out everywhere ends all sessions on the server, and deletes the stored record`() async throws {
        try await bench.session().signIn(.test)
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        #expect(bench.backend.liveSessions == 2)
        try await session.signOutEverywhere()
        #expect(bench.backend.liveSessions == 0)
        #expect(session.state == .signedOut(.requested))
        #expect(try store.read() == nil && bench.backend.counts.logouts == 0)
    }

    @Test func `a sign-out everywhere without a network throws an error, and keeps the session`() async throws {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        async let error = failure { try await session.signOutEverywhere() }
        try await transport.next(to: "/v1/logout-all").fail()
        #expect(await error == .offline(retryAfter: nil, failure: .connectionLost))
        #expect(session.state == .active)
    }

    @Test func `a captive portal's page is reported as offline, and ends no session`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.backend.fail(.html(), at: .path("/v1/logout-all"))
        #expect(await failure { try await session.signOutEverywhere() } == .offline(retryAfter: nil))
        #expect(session.state == .active && bench.backend.liveSessions == 1)
        bench.backend.fail(.html(), at: .path("/v1/sessions"))
        #expect(await failure { _ = try await session.devices() } == .offline(retryAfter: nil))
        let id = Fixtures.stored(0).id
        bench.backend.fail(.html(), at: .path("/v1/sessions/\(id)"))
        #expect(await failure { try await session.endSession(id: id) } == .offline(retryAfter: nil))
    }

    @Test func `an access token that the backend repeats in its error response is not in the thrown error`()
        async throws
    {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        async let error = failure { _ = try await session.devices() }
        let list = try await transport.next(to: "/v1/sessions")
        let token = try #require(list.bearer)
        list.answer(422, json: #"{"error":"invalid_request","error_description":"\#(token) may not list"}"#)
        #expect(await error == .refused(code: "invalid_request", message: "••• may not list"))
    }

    @Test func `the user's sessions are listed, and one is ended`() async throws {
        try await bench.session(store: store).signIn(.test)
        let session = try bench.session(store: store, transport: transport)
        async let devices = session.devices()
        let list = try await transport.next(to: "/v1/sessions")
        #expect(list.bearer == "access-1")
        let id = Fixtures.stored(0).id
        list.answer(
            200,
            json: """
                {"sessions":[{"id":"\(id)","current":false,"device":{"name":"Phone","app_version":"2"},
                "created_at":1,"last_used_at":2.5,"expires_at":3}]}
                """
        )
        let device = try #require(try await devices.first)
        #expect(device.id == id && device.device.name == "Phone" && device.device.appVersion == "2")
        #expect(device.lastUsedAt == Date(timeIntervalSince1970: 2.5))

        async let ended: Void = session.endSession(id: id)
        let delete = try await transport.next(to: "/v1/sessions/\(id)")
        #expect(delete.request.httpMethod == "DELETE")
        delete.answer(204)
        try await ended
        async let unknown = failure { try await session.endSession(id: id) }
        try await transport.next().answer(404, json: #"{"error":"not_found"}"#)
        #expect(await unknown == .refused(code: "not_found", message: nil))
    }

    @Test func `a client that ends its own session by ID is signed out`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        try await session.endSession(id: try #require(session.status.sessionID))
        #expect(session.state == .signedOut(.requested) && bench.backend.liveSessions == 0)
    }
}
