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

/// How a session goes on where the backend does not keep to our own protocol.
@Suite(.timeLimit(.minutes(5))) struct `Renewal without our own protocol` {
    let clock = TestClock()
    let transport = ManualTransport()

    private func contract(_ rotation: String, refresh: String? = #"{"path":"/r","json":{"t":"$refresh_token"}}"#) throws
        -> Contract
    {
        let endpoints = refresh.map { #""refresh":\#($0)"# } ?? ""
        return try Contract(
            json: Data(
                """
                {"contract":1,"name":"test","title":"Test","endpoints":{\(endpoints)},"rotation":"\(rotation)",
                "reply":{"access":"/a",\(rotation == "sliding" || rotation == "none" ? "" : #""refresh":"/r","#)
                "expiry":[{"in":"/e","unit":"s"}]},
                "classify":[{"on":"refresh","status":401,"outcome":"sessionEnded","reason":"expired"}]}
                """.utf8
            )
        )
    }

    private func session(_ contract: Contract, _ store: any SessionStore = InMemoryStore()) throws -> AuthSession {
        try AuthSession(contract: contract, baseURL: Fixtures.base(), store: store, transport: transport, clock: clock)
    }

    private func tokens(_ access: String, refresh: String?) -> SignInCredentials {
        .tokens(TokenGrant(accessToken: access, refreshToken: refresh, expiresIn: .seconds(600)))
    }

    private func body(_ request: PendingRequest) -> String {
        String(decoding: request.request.httpBody ?? Data(), as: UTF8.self)
    }

    @Test func `a refresh response without a new refresh token keeps the old one in use`() async throws {
        let session = try session(contract("optional"))
        try await session.signIn(tokens("a0", refresh: "r0"))
        for (answer, presented) in [
            ("", "r0"), (#","r":null"#, "r0"), (#","r":"""#, "r0"), (#","r":"r1""#, "r0"), ("", "r1"),
        ] {
            async let refreshed: Void = session.refresh()
            let request = try await transport.next(to: "/r")
            #expect(body(request) == #"{"t":"\#(presented)"}"#)
            request.answer(200, json: #"{"a":"next","e":600\#(answer)}"#)
            try await refreshed
        }
    }

    @Test func `a rotated refresh token that cannot be stored is presented at the next refresh`()
        async throws
    {
        let store = UnreliableStore()
        let session = try session(contract("always"), store)
        try await session.signIn(tokens("a0", refresh: "r0"))
        store.writeFault = SessionStoreError(.failed, "full")
        for (presented, next) in [("r0", "r1"), ("r1", "r2")] {
            async let refreshed: Void = session.refresh()
            let request = try await transport.next(to: "/r")
            #expect(body(request) == #"{"t":"\#(presented)"}"#)
            request.answer(200, json: #"{"a":"a-\#(next)","r":"\#(next)","e":600}"#)
            try await refreshed
        }
        #expect(!session.status.isSaved)
        store.writeFault = nil
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/r").answer(200, json: #"{"a":"a3","r":"r3","e":600}"#)
        try await refreshed
        #expect(session.status.isSaved)
        #expect(try store.read()?.session?.refreshToken == "r3")
    }

    @Test func `a session ends after two refusals of a refresh token that could not be stored`() async throws {
        let store = UnreliableStore()
        let session = try session(contract("always"), store)
        try await session.signIn(tokens("a0", refresh: "r0"))
        store.writeFault = SessionStoreError(.failed, "full")
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/r").answer(200, json: #"{"a":"a1","r":"r1","e":600}"#)
        try await refreshed
        store.writeFault = nil
        store.readFault = nil
        async let error = failure { try await session.refresh() }
        try await transport.next(to: "/r").answer(401, json: "{}")
        // Nothing but the status says so: it is asked about twice.
        await clock.waitForSleep(for: .seconds(1))
        #expect(session.state == .offline)
        clock.advance(by: .seconds(1))
        try await transport.next(to: "/r").answer(401, json: "{}")
        #expect(await error == .signedOut(.expired))
        #expect(session.state == .signedOut(.expired))
    }

    @Test func `a sliding access token is refreshed by presenting the token itself`() async throws {
        let session = try session(contract("sliding", refresh: #"{"path":"/r","attach":true}"#))
        try await session.signIn(tokens("a0", refresh: nil))
        clock.advance(by: .seconds(601))
        async let token = session.accessToken()
        let request = try await transport.next(to: "/r")
        #expect(request.bearer == "a0" && request.isExchange)
        request.answer(200, json: #"{"a":"a1","e":600}"#)
        #expect(try await token.value == "a1")
        #expect(session.status.isRenewable)
    }

    @Test func `refresh and logout requests with the access token carry its additional header fields`()
        async throws
    {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"test","title":"Test","rotation":"sliding","reply":{"access":"/a","expiry":[{"in":"/e","unit":"s"}]},
                "variables":{"api_key":{"about":"A key."}},"attach":{"header":"Authorization","scheme":"Bearer","headers":{"apikey":"$api_key"}},
                "endpoints":{"refresh":{"path":"/r","attach":true},"logout":{"path":"/l","attach":true}},
                "classify":[{"on":"refresh","status":401,"outcome":"sessionEnded","reason":"expired"}]}
                """.utf8
            )
        )
        var configuration = AuthSession.Configuration()
        configuration.contractValues = ["api_key": "k1"]
        let session = try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            configuration: configuration,
            transport: transport,
            clock: clock
        )
        try await session.signIn(tokens("a0", refresh: nil))
        async let refreshed: Void = session.refresh()
        let refresh = try await transport.next(to: "/r")
        #expect(refresh.bearer == "a0" && refresh.request.value(forHTTPHeaderField: "apikey") == "k1")
        refresh.answer(200, json: #"{"a":"a1","e":600}"#)
        try await refreshed
        async let signedOut: Void = session.signOut()
        let logout = try await transport.next(to: "/l")
        #expect(logout.bearer == "a1" && logout.request.value(forHTTPHeaderField: "apikey") == "k1")
        logout.answer(204)
        try await signedOut
    }

    @Test(arguments: ["rt-secret-0", String(repeating: "rt-secret-0", count: 20)], ["", "\u{301}"])
    func `a refresh token in a server's error message is masked in errors and events`(token: String, mark: String)
        async throws
    {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"test","title":"Test","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}}},
                "rotation":"always","reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}]},"errors":{"code":["/error"]},
                "classify":[{"on":"refresh","status":400,"outcome":"misconfigured"},
                {"on":"refresh","status":401,"outcome":"sessionEnded","reason":"expired"}]}
                """.utf8
            )
        )
        let session = try session(contract)
        let events = session.events
        try await session.signIn(tokens("a0", refresh: token))
        async let error = failure { try await session.refresh() }
        try await transport.next(to: "/r").answer(400, json: #"{"error":"token \#(token)\#(mark) not found"}"#)
        #expect("\(String(describing: await error))".contains("token •••\(mark) not found"))
        for await event in events {
            #expect(!"\(event)".contains("rt-secret-0"))
            if case .refreshFailed = event.kind { break }
        }
    }

    @Test(arguments: [("sliding", String?.none), ("optional", "r0")])
    func `a sign-out also logs out a newer access token that could not be stored`(
        rotation: String,
        refresh: String?
    ) async throws {
        let store = UnreliableStore()
        let request = refresh == nil ? #""attach":true"# : #""json":{"t":"$refresh_token"}"#
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"test","title":"Test","rotation":"\(rotation)",
                "reply":{"access":"/a",\(refresh == nil ? "" : #""refresh":"/r","#)"expiry":[{"in":"/e","unit":"s"}]},
                "endpoints":{"refresh":{"path":"/r",\(request)},"logout":{"path":"/l","attach":true}},
                "classify":[{"on":"refresh","status":401,"outcome":"sessionEnded","reason":"expired"}]}
                """.utf8
            )
        )
        let session = try session(contract, store)
        try await session.signIn(tokens("a0", refresh: refresh))
        store.writeFault = SessionStoreError(.failed, "the disk is full")
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/r").answer(200, json: #"{"a":"a1","e":600}"#)
        try await refreshed
        store.writeFault = nil
        async let signedOut: Void = session.signOut()
        var logout = try await transport.next(to: "/l")
        // Stored before any is told.
        let pending = try #require(try store.read()).pendingLogouts
        #expect(Set(pending.map(\.accessToken)) == ["a0", "a1"])
        var told = [logout.bearer]
        logout.answer(204)
        while told.count < pending.count {
            logout = try await transport.next(to: "/l")
            told.append(logout.bearer)
            logout.answer(204)
        }
        try await signedOut
        #expect(told == pending.map(\.accessToken))
    }

    @Test func `a session that cannot be renewed ends only when its own server refuses the access token`() async throws
    {
        let store = InMemoryStore()
        let session = try session(contract("none", refresh: nil), store)
        try await session.signIn(tokens("only", refresh: nil))
        #expect(!session.status.isRenewable)
        clock.advance(by: .seconds(9000))
        async let first = session.data(for: URLRequest(url: Fixtures.url("https://api.example.com/x")))
        let request = try await transport.next(to: "/x")
        #expect(request.bearer == "only")
        request.answer(200)
        #expect(try await first.1.statusCode == 200)

        #expect(await failure { try await session.refresh() } == .unsupported(.refresh))
        #expect(session.state == .active)

        async let second = failure {
            try await session.data(for: URLRequest(url: Fixtures.url("https://api.example.com/x")))
        }
        try await transport.next(to: "/x").answer(401)
        #expect(await second == .signedOut(.unrenewable))
        #expect(session.state == .signedOut(.unrenewable))
        let next = try self.session(contract("none", refresh: nil), store)
        #expect(next.state == .signedOut(.unrenewable), "the next launch does not use it again")
    }

    @Test func `the end of a session that cannot be renewed is stored once the store can be written`() async throws {
        let store = UnreliableStore()
        let session = try session(contract("none", refresh: nil), store)
        try await session.signIn(tokens("only", refresh: nil))
        store.writeFault = SessionStoreError(.failed, "the disk is full")
        async let call = failure {
            try await session.data(for: URLRequest(url: Fixtures.url("https://api.example.com/x")))
        }
        try await transport.next(to: "/x").answer(401)
        #expect(await call == .signedOut(.unrenewable))
        #expect(await failure { _ = try await session.accessToken() } == .signedOut(.unrenewable))
        let saving = try #require(await session.driver.savingTask)
        store.writeFault = nil
        await clock.waitForSleep(for: .milliseconds(250))
        clock.advance(by: .milliseconds(250))
        await saving.value
        let record = try store.read()
        #expect(record?.session == nil && record?.ended == .unrenewable)
    }

    @Test func `the end of a session whose record was deleted writes no new record`() async throws {
        let store = InMemoryStore()
        let session = try session(contract("none", refresh: nil), store)
        try await session.signIn(tokens("only", refresh: nil))
        try store.overwrite(with: nil)
        async let call = failure {
            try await session.data(for: URLRequest(url: Fixtures.url("https://api.example.com/x")))
        }
        try await transport.next(to: "/x").answer(401)
        #expect(await call == .signedOut(.unrenewable))
        #expect(try store.read() == nil)
    }

    @Test func `a 401 response of an additional host does not end a session that cannot be renewed`() async throws {
        var configuration = AuthSession.Configuration()
        configuration.additionalHosts = ["media.example.com"]
        let session = try AuthSession(
            contract: contract("none", refresh: nil),
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            configuration: configuration,
            transport: transport,
            clock: clock
        )
        try await session.signIn(tokens("only", refresh: nil))
        async let answer = session.data(for: URLRequest(url: Fixtures.url("https://media.example.com/x")))
        let request = try await transport.next(to: "/x")
        #expect(request.bearer == "only")
        request.answer(401)
        #expect(try await answer.1.statusCode == 401)
        #expect(session.state == .active)
    }

    @Test func `a step-up challenge is reported as such, and the session stays`() async throws {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"t","title":"T","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}}},
                "rotation":"optional","reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}]},
                "classify":[{"on":"refresh","status":400,"if":{"at":"/error","equals":"interaction_required"},
                "outcome":"stepUp"}]}
                """.utf8
            )
        )
        let session = try session(contract)
        try await session.signIn(tokens("a0", refresh: "r0"))
        async let error = failure { try await session.refresh() }
        try await transport.next(to: "/r").answer(400, json: #"{"error":"interaction_required"}"#)
        #expect(await error == .stepUpRequired)
        #expect(session.state.isSignedIn)
        #expect(try await session.accessToken().value == "a0")
    }

    @Test func `a session expiry that refreshes do not extend is the same after a refresh`() async throws {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"t","title":"T","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}},
                "login.password":{"path":"/l","json":{"u":"$email","p":"$password"}}},
                "rotation":"never","reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}],
                "refreshExpiry":{"sources":[{"assume":604800}],"extends":false}}}
                """.utf8
            )
        )
        let session = try session(contract)
        async let signIn = session.signIn(.password(email: "ada@example.com", password: "x"))
        try await transport.next(to: "/l").answer(200, json: #"{"a":"a0","r":"r0","e":600}"#)
        _ = try await signIn
        let end = try #require(session.status.sessionExpiresAt)
        #expect(abs(end.timeIntervalSince1970 - 1_800_604_800) < 1)
        clock.advance(by: .seconds(3600))
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/r").answer(200, json: #"{"a":"a1","e":600}"#)
        try await refreshed
        #expect(session.status.sessionExpiresAt == end)
    }

    @Test func `an access token of a session that cannot be renewed is never due for a refresh and sets no timer`()
        async throws
    {
        let session = try session(contract("none", refresh: nil))
        try await session.signIn(tokens("only", refresh: nil))
        let events = session.events
        session.enterForeground()
        for await event in events where event.kind == .phaseChanged(.foreground) { break }
        #expect(await session.driver.wakeTime == nil)
        for seconds in [0, 590] { #expect(session.published.validToken(at: .seconds(seconds))?.isDue == false) }
    }
}
