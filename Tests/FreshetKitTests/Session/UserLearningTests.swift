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

/// A session learns its user from the tokens, also where an earlier version stored it without.
@Suite(.timeLimit(.minutes(5))) struct `Learning the user` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    /// A record of a version that read no user from tokens.
    private func storeRecord(user: String? = nil, source: String? = nil) throws {
        var stored = Fixtures.stored(0)
        (stored.refreshToken, stored.userID, stored.userSource) = ("r0", user, source)
        stored.email = nil
        try store.overwrite(with: Fixtures.record(stored))
    }

    private func session(_ preset: String = "outbox") throws -> AuthSession {
        try bench.session(contract: try .named(preset), store: store, transport: transport)
    }

    private func grant(_ claims: String, refresh: String = "r1") -> String {
        #"{"data":{"access_token":"\#(Fixtures.jwt(claims))","refresh_token":"\#(refresh)"}}"#
    }

    private func refresh(_ session: AuthSession, _ answer: String) async -> SessionError? {
        async let error = failure { try await session.refresh() }
        _ = try? await transport.next().answer(200, json: answer)
        return await error
    }

    @Test func `a session without a known user reads the user ID from the next grant, and stores it`() async throws {
        try storeRecord()
        let session = try session()
        #expect(session.status.userID == nil && session.status.sessionID != nil)
        let events = session.events
        let id = session.status.sessionID
        #expect(await refresh(session, grant(PresetSample.sub)) == nil)
        #expect(session.status.userID == "u-1" && session.status.sessionID == id)
        #expect(try store.read()?.session?.userID == "u-1")
        var isTold = false
        for await event in events {
            if event.kind == .userIdentified { isTold = true }
            if case .stateChanged(.active) = event.kind { break }
        }
        #expect(isTold)
    }

    @Test func `a refresh response with another user's token is rejected`() async throws {
        try storeRecord()
        let session = try session()
        #expect(await refresh(session, grant(PresetSample.sub)) == nil)
        bench.clock.advance(by: .seconds(300))
        let error = await refresh(session, grant(#"{"sub":"u-2","exp":4000000000}"#, refresh: "r2"))
        #expect(error == .invalidResponse("the answer is for another session"))
        #expect(session.status.userID == "u-1")
        #expect(try store.read()?.session?.refreshToken == "r1")
    }

    @Test func `a different user ID from another source is accepted, and the stored user ID is kept`() async throws {
        var stored = Fixtures.stored(0)
        (stored.refreshToken, stored.userID, stored.userSource) = ("r0", "123", "/user/id")
        try store.overwrite(with: Fixtures.record(stored))
        let session = try session("melchat")
        let answer = #"{"success":true,"accessToken":"\#(Fixtures.jwt(PresetSample.sub))","expiresIn":900}"#
        #expect(await refresh(session, answer) == nil)
        #expect(session.status.userID == "123", "known once, it stays")
        #expect(try store.read()?.session?.userSource == "/user/id")
    }

    @Test func `a stored user ID without a source is kept if a token's subject differs`() async throws {
        try storeRecord(user: "own-name")
        let session = try session()
        #expect(await refresh(session, grant(PresetSample.sub)) == nil)
        #expect(session.status.userID == "own-name")
        #expect(try store.read()?.session?.userSource == nil)
    }

    @Test func `a stored user ID without a source gets the source of an equal ID in a token`() async throws {
        try storeRecord(user: "u-1")
        let session = try session()
        #expect(await refresh(session, grant(PresetSample.sub)) == nil)
        #expect(try store.read()?.session?.userSource == "jwt:sub")
    }

    @Test func `the user ID of the app's own tokens is their subject, unless the app passes another one`() async throws
    {
        let session = try session()
        let token = Fixtures.jwt(PresetSample.sub)
        try await session.signIn(.tokens(TokenGrant(accessToken: token, refreshToken: "r")))
        #expect(session.status.userID == "u-1")
        try await session.signIn(.tokens(TokenGrant(accessToken: token, refreshToken: "r", userID: "own-name")))
        #expect(session.status.userID == "own-name")
    }

    @Test func `a session directory lists a user ID once it is known, and reports an event for it`() async throws {
        try storeRecord()
        let (bench, transport) = (bench, transport)
        let stores = OneStore(store: store)
        let directory = SessionDirectory(stores: stores) { store throws(SessionError) in
            do {
                return try bench.session(contract: .named("outbox"), store: store, transport: transport)
            } catch { throw error as? SessionError ?? .cancelled }
        }
        #expect(try directory.accounts().map(\.status.userID) == [nil])
        let events = directory.events
        let session = try directory.session(named: "main")
        #expect(await refresh(session, grant(PresetSample.sub)) == nil)
        for await event in events where event.event.kind == .userIdentified {
            #expect(event.account == "main")
            break
        }
        #expect(try directory.accounts().map(\.status.userID) == ["u-1"])
    }
}

/// A store under one name.
private struct OneStore: SessionStores {
    let store: InMemoryStore
    let name = "one"
    func names() -> [String] { ["main"] }
    func store(named name: String) -> any SessionStore { store }
}
