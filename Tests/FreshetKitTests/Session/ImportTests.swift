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

@Suite(.timeLimit(.minutes(5))) struct `Tokens of an older version` {
    let clock = TestClock()
    let transport = ManualTransport()

    private func session(_ contract: String, _ store: any SessionStore) throws -> AuthSession {
        try AuthSession(
            contract: .named(contract),
            baseURL: Fixtures.base(),
            store: store,
            transport: transport,
            clock: clock
        )
    }

    /// The test clock begins at 2027-01-15T08:00:00Z.
    private let creatist = InMemoryLegacyTokenSource(
        ["accessToken": "old-access", "refreshToken": "old-refresh", "tokenExpirationTime": "1800000600.25"]
    )

    @Test func `an import of Creatist's items continues the app's session and deletes the items`() async throws {
        let store = InMemoryStore()
        let session = try session("creatist", store)
        #expect(try await session.importSession(from: creatist))
        #expect(session.state == .active)
        #expect(try await session.accessToken().value == "old-access")
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince1970 - 1_800_000_600.25) < 0.01)
        #expect(creatist.keys.isEmpty, "a second place to lose a token from")
        #expect(try store.read()?.session?.refreshToken == "old-refresh")

        clock.advance(by: .seconds(601))
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/auth/refresh")
        #expect(String(decoding: refresh.request.httpBody ?? Data(), as: UTF8.self).contains("old-refresh"))
        refresh.answer(200, json: #"{"access_token":"new-access","expires_in":900}"#)
        #expect(try await token.value == "new-access")
    }

    @Test func `an import reports exactly one sign-in event, marked as imported`() async throws {
        let session = try session("creatist", InMemoryStore())
        let kinds = Locked<[SessionEvent.Kind]>([])
        session.observe { event in if case .signedIn = event.kind { kinds.withLock { $0.append(event.kind) } } }
        #expect(try await session.importSession(from: creatist))
        #expect(kinds.withLock { $0 } == [.signedIn(.imported)])
    }

    @Test func `an access token of unknown expiry is refreshed before it is used`() async throws {
        let items = InMemoryLegacyTokenSource(["accessToken": "old-access", "refreshToken": "old-refresh"])
        let session = try session("creatist", InMemoryStore())
        #expect(try await session.importSession(from: items))
        clock.advance(by: .seconds(2))
        async let token = session.accessToken()
        try await transport.next(to: "/auth/refresh")
            .answer(200, json: #"{"access_token":"new-access","expires_in":900}"#)
        #expect(try await token.value == "new-access")
    }

    @Test func `MelChat's synchronised items are imported only once and are not deleted`() async throws {
        let items = InMemoryLegacyTokenSource(
            synchronized: [
                "com.melchat.accessToken": "old-access", "com.melchat.refreshToken": "old-refresh",
                "com.melchat.tokenExpiresAt": "2027-02-14T08:00:00Z",
            ]
        )
        let store = InMemoryStore()
        let session = try session("melchat", store)
        #expect(try await session.importSession(from: items))
        #expect(session.status.isRenewable)
        #expect(items.keys.count == 3, "another device may still run the older version")

        async let signOut: Void = session.signOut()
        try await transport.next(to: "/api/auth/logout").answer(200, json: #"{"success":true}"#)
        try await signOut
        let next = try self.session("melchat", store)
        #expect(try await !next.importSession(from: items), "a sign-out would be undone")
        #expect(next.state == .signedOut(nil) || next.state == .signedOut(.requested))
    }

    @Test func `MelChat's oldest item is imported as a session without a refresh token`() async throws {
        let session = try session("melchat", InMemoryStore())
        #expect(try await session.importSession(from: InMemoryLegacyTokenSource(["authToken": "legacy"])))
        #expect(!session.status.isRenewable)
        clock.advance(by: .seconds(90 * 86_400))
        #expect(try await session.accessToken().value == "legacy", "only the server knows when it ends")
    }

    @Test func `an import by a second process finds the session of the first`() async throws {
        let store = InMemoryStore()
        let (first, second, third) = try (
            session("creatist", store), session("creatist", store), session("creatist", store)
        )
        #expect(try await first.importSession(from: creatist))
        #expect(second.state == .signedOut(nil), "it has not looked since its launch")
        // The first one has removed the items by now, or is about to.
        let items = InMemoryLegacyTokenSource(["accessToken": "old-access", "refreshToken": "old-refresh"])
        #expect(try await !second.importSession(from: items))
        #expect(second.state == .active)
        #expect(try await !third.importSession(from: creatist))
        #expect(third.state == .active)
    }

    @Test func `an import without usable items creates no session`() async throws {
        let session = try session("melchat", InMemoryStore())
        #expect(try await !session.importSession(from: InMemoryLegacyTokenSource(["unrelated": "x", "authToken": ""])))
        #expect(session.state == .signedOut(nil))
    }

    @Test func `a signed-in user is not replaced by imported items`() async throws {
        let session = try session("creatist", InMemoryStore())
        try await session.signIn(.tokens(TokenGrant(accessToken: "mine", expiresIn: .seconds(60))))
        let events = session.events
        #expect(try await !session.importSession(from: creatist))
        #expect(try await session.accessToken().value == "mine")
        #expect(creatist.keys.isEmpty)
        session.enterBackground()
        for await event in events {
            #expect(event.kind != .signedIn(.imported))
            if event.kind == .phaseChanged(.background) { break }
        }
        // Old items that appear after the sign-out do not sign the user in again.
        async let signOut: Void = session.signOut()
        try await transport.next().answer(204)
        try await signOut
        let items = InMemoryLegacyTokenSource(["accessToken": "old-access", "refreshToken": "old-refresh"])
        #expect(try await !session.importSession(from: items))
        #expect(!session.state.isSignedIn)
    }

    @Test func `older items do not replace a session that the server has ended`() async throws {
        let store = InMemoryStore()
        let session = try session("creatist", store)
        try await session.signIn(.tokens(TokenGrant(accessToken: "mine", expiresIn: .seconds(60))))
        let record = try #require(try store.read())
        try store.overwrite(with: record.ending(.fork, keeping: .none))
        #expect(try await !self.session("creatist", store).importSession(from: creatist))
        #expect(try store.read()?.session == nil)
    }

    @Test func `a pending logout does not prevent an import, and is kept`() async throws {
        let store = InMemoryStore()
        let session = try session("creatist", store)
        let grant = TokenGrant(accessToken: "mine", refreshToken: "r", expiresIn: .seconds(60))
        try await session.signIn(.tokens(grant))
        let ended = try #require(try store.read()).ending(.requested, keeping: .refreshToken)
        let object = try JSONSerialization.jsonObject(with: ended.encoded())
        var members = try #require(object as? [String: Any])
        #expect(members.removeValue(forKey: "ended") != nil)
        let pending = ended.pendingLogouts
        #expect(pending.count == 1)
        try store.overwrite(with: SessionRecord(decoding: JSONSerialization.data(withJSONObject: members)))
        #expect(try await self.session("creatist", store).importSession(from: creatist))
        let stored = try #require(try store.read())
        #expect(stored.session?.refreshToken == "old-refresh")
        #expect(stored.pendingLogouts == pending)
    }

    @Test func `an import from a locked source fails and succeeds after the unlock`() async throws {
        creatist.fault = SessionStoreError(.locked, "before the first unlock")
        let session = try session("creatist", InMemoryStore())
        let error = await failure { try await session.importSession(from: creatist) }
        #expect(error == .storeUnavailable(SessionStoreError(.locked, "before the first unlock")))
        creatist.fault = nil
        #expect(try await session.importSession(from: creatist))
    }

    @Test func `an import keeps the old items when the store cannot be written`() async throws {
        let store = UnreliableStore()
        store.writeFault = SessionStoreError(.failed, "full")
        let session = try session("creatist", store)
        #expect(await failure { try await session.importSession(from: creatist) } != nil)
        #expect(creatist.keys.count == 3)
        #expect(session.state == .signedOut(nil))
    }

    @Test(arguments: ["", "soon", "1e400", "-1", "99999999999999999999"])
    func `an import succeeds with an invalid expiry date`(text: String) async throws {
        let items = InMemoryLegacyTokenSource(
            ["accessToken": "old-access", "refreshToken": "old-refresh", "tokenExpirationTime": text]
        )
        let session = try session("creatist", InMemoryStore())
        #expect(try await session.importSession(from: items))
        #expect(session.state == .active)
    }

    // MARK: Locations that do not match the items

    private static let noAccessToken =
        "warning: An older item was found without an access token where the location names one."
    private static let noRefreshToken =
        "warning: An older item was found without a refresh token where the location names one; it is kept."

    /// A location in one item; its members are `access` and `refresh`.
    private let members = LegacyTokenLocation(
        access: .init("session", at: "access"),
        refresh: .init("session", at: "refresh")
    )

    /// Returns a session that imports `locations`, and the later lines of its log.
    private func loggedSession(
        _ store: any SessionStore = InMemoryStore(),
        importing locations: LegacyTokenLocation...
    ) throws -> (AuthSession, LogLines) {
        let contract = locations.reversed().reduce(Contract.outbox) { $0.importing($1) }
        let session = try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: store,
            transport: transport,
            clock: clock
        )
        let lines = LogLines()
        session.log(from: .notice) { level, line in lines.add("\(level): \(line)") }
        return (session, lines)
    }

    @Test(arguments: [#"{"access":"a","refreshToken":"r"}"#, #"{"access":"a","refresh":""}"#])
    func `an item without a refresh token at the named place is kept at every launch`(text: String) async throws {
        let items = InMemoryLegacyTokenSource(["session": text])
        let store = InMemoryStore()
        let (session, lines) = try loggedSession(store, importing: members)
        #expect(try await session.importSession(from: items))
        #expect(try await session.accessToken().value == "a")
        #expect(items.keys.count == 1, "the refresh token may be in it under another name")
        #expect(lines.all == [Self.noRefreshToken])

        let (next, later) = try loggedSession(store, importing: members)
        #expect(try await !next.importSession(from: items))
        #expect(items.keys.count == 1)
        #expect(later.all == [Self.noRefreshToken])
    }

    @Test(arguments: [false, true])
    func `an import with a corrected location adds the refresh token that was not found before`(hasExpired: Bool)
        async throws
    {
        let items = InMemoryLegacyTokenSource(["session": #"{"access":"a","refreshToken":"r"}"#])
        let store = InMemoryStore()
        let (session, _) = try loggedSession(store, importing: members)
        #expect(try await session.importSession(from: items))
        if hasExpired {
            async let call = session.data(for: URLRequest(url: Fixtures.url("https://api.example.com/x")))
            try await transport.next(to: "/x").answer(401)
            do { _ = try await call } catch { #expect(error as? SessionError == .signedOut(.unrenewable)) }
            #expect(session.state == .signedOut(.unrenewable))
        }
        let (unchanged, _) = try loggedSession(store, importing: members)
        #expect(try await !unchanged.importSession(from: items), "a launch with the same location changes nothing")

        let corrected = LegacyTokenLocation(
            access: .init("session", at: "access"),
            refresh: .init("session", at: "refreshToken")
        )
        let (next, lines) = try loggedSession(store, importing: corrected)
        #expect(try await next.importSession(from: items))
        #expect(next.status.isRenewable && items.keys.isEmpty)
        #expect(try store.read()?.session?.refreshToken == "r")
        #expect(try store.read()?.pendingLogouts.isEmpty == true, "the session goes on")
        #expect(lines.all.isEmpty && next.state == .active)
        // Once more: it was the last import.
        let again = InMemoryLegacyTokenSource(["session": #"{"access":"a2","refreshToken":"r2"}"#])
        #expect(try await !next.importSession(from: again))
        #expect(try store.read()?.session?.refreshToken == "r")
    }

    @Test(arguments: [false, true])
    func `an import with a corrected location does not undo a sign-out or replace a later sign-in`(signsIn: Bool)
        async throws
    {
        let items = InMemoryLegacyTokenSource(["session": #"{"access":"a","refreshToken":"r"}"#])
        let store = InMemoryStore()
        let (session, _) = try loggedSession(store, importing: members)
        #expect(try await session.importSession(from: items))
        if signsIn {
            try await session.signIn(.tokens(TokenGrant(accessToken: "b", expiresIn: .seconds(60))))
        } else {
            async let ending: Void = session.signOut()
            try await transport.next().answer(204)
            try await ending
        }
        let corrected = LegacyTokenLocation(
            access: .init("session", at: "access"),
            refresh: .init("session", at: "refreshToken")
        )
        let (next, _) = try loggedSession(store, importing: corrected)
        #expect(try await !next.importSession(from: items))
        #expect(try store.read()?.session?.accessToken == (signsIn ? "b" : nil))
    }

    @Test func `imported items are deleted when their location names no refresh token`() async throws {
        let items = InMemoryLegacyTokenSource(["session": #"{"access":"a"}"#])
        let location = LegacyTokenLocation(access: .init("session", at: "access"))
        let (session, lines) = try loggedSession(importing: location)
        #expect(try await session.importSession(from: items))
        #expect(items.keys.isEmpty && lines.all.isEmpty)
    }

    @Test(arguments: [#"{"token":"a","refresh":"r"}"#, #"{"access":""}"#, #"{"access":"#])
    func `an item without an access token at the named place is reported and kept`(text: String) async throws {
        let items = InMemoryLegacyTokenSource(["session": text])
        let (session, lines) = try loggedSession(importing: members)
        #expect(try await !session.importSession(from: items))
        #expect(session.state == .signedOut(nil) && items.keys.count == 1)
        #expect(lines.all == [Self.noAccessToken])
    }

    @Test func `a refresh token without its access token is reported`() async throws {
        let items = InMemoryLegacyTokenSource(["refresh": "r"])
        let (session, lines) = try loggedSession(importing: LegacyTokenLocation(access: "access", refresh: "refresh"))
        #expect(try await !session.importSession(from: items))
        #expect(items.keys.count == 1)
        #expect(lines.all == [Self.noAccessToken])
    }

    @Test func `locations without an item, with an empty item, or before the matching one are not reported`()
        async throws
    {
        let plain = LegacyTokenLocation(access: "plain")
        for items in [["unrelated": "x"], ["plain": "", "session": ""]] {
            let (session, lines) = try loggedSession(importing: members, plain)
            #expect(try await !session.importSession(from: InMemoryLegacyTokenSource(items)))
            #expect(lines.all.isEmpty, "\(items)")
        }
        let (session, lines) = try loggedSession(importing: members, plain)
        let both = InMemoryLegacyTokenSource(["session": #"{"user":"ann"}"#, "plain": "a"])
        #expect(try await session.importSession(from: both))
        #expect(lines.all.isEmpty)
        #expect(both.keys.isEmpty)
    }

    @Test func `an item without an access token is not logged while a user is signed in`() async throws {
        let items = InMemoryLegacyTokenSource(["session": #"{"user":"ann"}"#])
        let (session, lines) = try loggedSession(importing: members)
        try await session.signIn(.tokens(TokenGrant(accessToken: "mine", expiresIn: .seconds(60))))
        #expect(try await !session.importSession(from: items))
        #expect(lines.all.isEmpty)
    }

    @Test func `a sign-in by another process during an import is kept`() async throws {
        let store = InMemoryStore()
        let contested = StaleStore(store)
        let session = try session("creatist", contested)
        let other = try self.session("creatist", store)
        try await other.signIn(.tokens(TokenGrant(accessToken: "mine", refreshToken: "r", expiresIn: .seconds(60))))
        // The import reads the record before the sign-in.
        contested.readsEmpty.withLock { $0 = true }
        #expect(try await !session.importSession(from: creatist))
        #expect(try store.read()?.session?.accessToken == "mine")
        #expect(try await session.accessToken().value == "mine")
    }
}

/// A store whose next read finds no record, as if another process wrote it right after.
private struct StaleStore: SessionStore {
    let base: InMemoryStore
    let readsEmpty = Locked(false)

    init(_ base: InMemoryStore) { self.base = base }

    var name: String { base.name }

    func read() throws(SessionStoreError) -> SessionRecord? {
        let isEmpty = readsEmpty.withLock { isEmpty in
            defer { isEmpty = false }
            return isEmpty
        }
        return isEmpty ? nil : try base.read()
    }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try base.replace(expected, with: record)
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try base.overwrite(with: record) }
}
