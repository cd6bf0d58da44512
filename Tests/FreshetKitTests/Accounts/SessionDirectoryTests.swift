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

@Suite(.timeLimit(.minutes(5))) struct `Many accounts` {
    let bench = SessionFixture()
    let folder: Folder

    init() throws { folder = try Folder() }

    private func directory(_ transport: (any HTTPTransport)? = nil) -> SessionDirectory {
        let bench = bench
        return SessionDirectory(stores: FileStores(directory: folder.url)) { store throws(SessionError) in
            do { return try bench.session(store: store, transport: transport) } catch {
                throw error as? SessionError ?? .cancelled
            }
        }
    }

    private func signIn(_ name: String, in directory: SessionDirectory) async throws -> AuthSession {
        let session = try directory.session(named: name)
        try await session.signIn(.password(email: "\(name)@example.com", password: "correct horse battery"))
        return session
    }

    @Test func `accounts are listed by name, also after a restart, and one is the default`() async throws {
        let first = directory()
        #expect(try first.accounts().isEmpty)
        #expect(try first.defaultSession() == nil)
        for name in ["bea", "ann@example.com", "cy/../x"] { _ = try await signIn(name, in: first) }
        let next = directory()
        #expect(try next.accounts().map(\.name) == ["ann@example.com", "bea", "cy/../x"])
        #expect(try next.accounts().map(\.isDefault) == [true, false, false])
        try await next.makeDefault("bea")
        #expect(try directory().accounts().map(\.isDefault) == [false, true, false])
        #expect(try directory().defaultSession()?.status.email == "bea@example.com")
    }

    @Test func `account names are compared by bytes`() async throws {
        let directory = directory()
        let names = ["Kate", "\u{212A}ate"]
        let sessions = try names.map { try directory.session(named: $0) }
        #expect(sessions[0] !== sessions[1])
        try await sessions[1].signIn(.password(email: "eve@example.com", password: "correct horse battery"))
        #expect(sessions[0].state == .signedOut(nil))
        try await sessions[0].signIn(.password(email: "kate@example.com", password: "correct horse battery"))
        try await directory.makeDefault(names[1])
        #expect(try directory.defaultSession() === sessions[1])
        #expect(try directory.accounts().filter(\.isDefault).map { Array($0.name.utf8) } == [Array(names[1].utf8)])
        try await directory.remove(names[1])
        #expect(sessions[0].state == .active)
    }

    @Test func `an account that another process has signed in is listed, and can be the default`() async throws {
        let own = directory()
        let session = try own.session(named: "ann")
        #expect(try own.accounts().isEmpty)
        let other = directory()
        for name in ["ann", "bea"] { _ = try await signIn(name, in: other) }
        try await other.makeDefault("ann")
        #expect(try own.accounts().map(\.name) == ["ann", "bea"])
        #expect(try own.defaultSession() === session)
        for await state in session.states where state.isSignedIn { break }
        #expect(session.status.email == "ann@example.com")
    }

    @Test func `the account that was chosen last is the default, even after the clock was set back`() async throws {
        let directory = directory()
        for name in ["ann", "bea"] { _ = try await signIn(name, in: directory) }
        try await directory.makeDefault("ann")
        bench.clock.moveWallClock(by: -86_400)
        try await directory.makeDefault("bea")
        #expect(try directory.defaultSession() === directory.session(named: "bea"))
    }

    @Test func `a removed account is signed out and no longer listed, and another account stays`() async throws {
        let directory = directory()
        for name in ["ann", "bea"] { _ = try await signIn(name, in: directory) }
        try await directory.makeDefault("ann")
        try await directory.remove("ann")
        #expect(try directory.accounts().map(\.name) == ["bea"])
        #expect(try directory.defaultSession() === directory.session(named: "bea"))
        #expect(bench.backend.liveSessions == 1)
        #expect(await failure { try await directory.makeDefault("ann") } == .signedOut(nil))
    }

    @Test func `an account whose session the server ended is listed with the reason`() async throws {
        let directory = directory()
        let ann = try await signIn("ann", in: directory)
        bench.backend.endSessions(reason: "revoked_by_operator")
        bench.clock.advance(by: .seconds(601))
        _ = await failure { try await ann.accessToken() }
        #expect(try self.directory().accounts().map(\.status.state) == [.signedOut(.revokedByOperator)])
    }

    @Test func `a request of one account is not replayed with another account's token after a switch`() async throws {
        let transport = ManualTransport()
        let signedIn = directory()
        for name in ["ann", "bea"] { _ = try await signIn(name, in: signedIn) }
        let directory = directory(transport)
        let (ann, bea) = (try directory.session(named: "ann"), try directory.session(named: "bea"))
        let request = try bench.request()
        async let answer = ann.data(for: request)
        let first = try await transport.next(to: "/things")
        let token = try #require(first.bearer)
        // The user switches while ann's request, and then her refresh, are under way.
        try await directory.makeDefault("bea")
        first.answer(401)
        let refresh = try await transport.next(to: "/v1/refresh")
        let beas = try await bea.accessToken().value
        refresh.answer(from: bench.backend)
        let replay = try await transport.next(to: "/things")
        #expect(replay.bearer != token && replay.bearer != beas)
        replay.answer(200)
        _ = try await answer
        #expect(try await bea.accessToken().value == beas)
        #expect(ann.status.email == "ann@example.com" && bea.status.email == "bea@example.com")
    }

    @Test func `an event names its account`() async throws {
        let directory = directory()
        let events = directory.events
        let ann = try await signIn("ann", in: directory)
        _ = try await signIn("bea", in: directory)
        try await ann.refresh()
        var names: [String] = []
        for await told in events {
            switch told.event.kind {
            case .signedIn: names.append(told.account)
            case .refreshed:
                names.append(told.account)
                #expect(names == ["ann", "bea", "ann"])
                return
            default: continue
            }
        }
    }

    @Test func `a folder with unsafe permissions is reported as an unavailable store, not as an empty list`()
        async throws
    {
        _ = try await signIn("ann", in: directory())
        let directory = directory()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        let error = await failure { try directory.accounts() }
        guard case .storeUnavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the choice of an account is stored with the time of the device's clock`() async throws {
        let directory = directory()
        _ = try await signIn("ann", in: directory)
        bench.clock.advance(by: .seconds(5))
        try await directory.makeDefault("ann")
        let store = FileStores(directory: folder.url).store(named: "ann")
        #expect(try store.read()?.chosenAt == bench.clock.wall.timeIntervalSince1970)
    }

    @Test func `an account without a user cannot be chosen, and its store stays empty`() async throws {
        #expect(await failure { try await directory().makeDefault("ann") } == .signedOut(nil))
        #expect(try FileStores(directory: folder.url).store(named: "ann").read() == nil)
    }
}
