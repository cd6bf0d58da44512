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

@Suite(.timeLimit(.minutes(5))) struct `Store faults` {
    let bench = SessionFixture()
    let store = UnreliableStore()
    let locked = SessionStoreError(.locked, "the device is locked")

    @Test func `a store that is unavailable at the start leaves the session unknown, and no request is sent`()
        async throws
    {
        try await bench.session(store: store).signIn(.test)
        let transport = ManualTransport()
        store.readFault = locked
        let session = try bench.session(store: store, transport: transport)
        #expect(session.state == .unknown)
        #expect(session.status.storeFault == locked)
        #expect(await failure { try await session.accessToken() } == .storeUnavailable(locked))
        #expect(await failure { try await session.refresh() } == .storeUnavailable(locked))
        #expect(transport.unclaimed.isEmpty)

        store.readFault = nil
        #expect(try await session.accessToken().value == "access-1")
        #expect(session.state == .active)
    }

    @Test func `a refresh with an unavailable store sends no request, and the session is kept`() async throws {
        let session = try await bench.expiredSession(store: store)
        store.readFault = locked
        #expect(await failure { try await session.accessToken() } == .storeUnavailable(locked))
        store.readFault = nil
        store.writeFault = locked
        #expect(await failure { try await session.accessToken() } == .storeUnavailable(locked))
        #expect(bench.backend.counts.refreshes == 0, "an intent that is not durable is never sent")
        store.writeFault = nil
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `tokens whose record was set back are stored again when the store can be written`() async throws {
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        #expect(try await token.value == "access-2")
        try await transport.next(to: "/v1/confirm").answer(204)
        // Another process has signed in again, and the server had lost the last commit of the same session.
        let record = try #require(try store.read())
        var older = try #require(record.session)
        older.generation = 0
        older.intent = Intent.random().text
        #expect(try store.replace(record, with: record.with(older)))

        store.writeFault = SessionStoreError(.failed, "the disk is full")
        async let refreshed = failure { try await session.refresh() }
        try await transport.next(to: "/v1/refresh").answer(400, body: #"{"error":"quota_exhausted"}"#)
        #expect(await refreshed == .invalidResponse("400 quota_exhausted"))
        store.writeFault = nil
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        try await transport.next(to: "/v1/confirm").answer(204)
        #expect(session.status.isSaved && session.status.generation == 1)
        #expect(try store.read()?.session?.generation == 1)
    }

    /// The whole of rule 3.
    @Test func `tokens that cannot be stored are returned to callers, but not confirmed or presented to the server`()
        async throws
    {
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        store.writeFault = SessionStoreError(.failed, "the disk is full")
        refresh.answer(from: bench.backend)
        #expect(try await token.value == "access-2")
        #expect(session.status.isSaved == false && session.status.generation == 1)
        #expect(try store.read()?.session?.generation == 0)

        // Storing is tried again, and again.
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        await bench.clock.waitForSleep(for: .milliseconds(500))
        #expect(transport.unclaimed.isEmpty)

        // A later refresh starts from what is durable, with the same pair.
        async let refreshed: Void = session.refresh()
        let second = try await transport.next(to: "/v1/refresh")
        #expect(second.request.httpBody == refresh.request.httpBody)
        second.answer(from: bench.backend)
        try await refreshed
        #expect(try await session.accessToken().value == "access-3")

        // When it works at last, and only then, it is confirmed.
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(500))
        let confirm = try await transport.next()
        #expect(confirm.path == "/v1/confirm")
        let stored = try #require(try store.read()?.session)
        #expect(stored.generation == 1 && stored.accessToken == "access-3")
        let body = String(decoding: confirm.request.httpBody ?? Data(), as: UTF8.self)
        #expect(body.contains(try #require(stored.refreshToken)))
        #expect(session.status.isSaved)
    }

    @Test func `a session continues from the stored tokens after a restart that lost newer tokens`() async throws {
        let transport = ManualTransport()
        _ = try await bench.unsavedSession(store: store, transport: transport)
        store.writeFault = nil
        // The process dies here; another one starts from what is durable.
        let next = try bench.session(store: store)
        #expect(try await next.accessToken().value == "access-3")
        #expect(bench.backend.liveSessions == 1)
    }

    @Test func `a sign-in that cannot be stored fails, and its session on the server is ended`() async throws {
        let session = try bench.session(store: store)
        store.writeFault = locked
        #expect(await failure { try await session.signIn(.test) } == .storeUnavailable(locked))
        #expect(session.state == .signedOut(nil))
        await session.deliverPendingLogouts()
        #expect(bench.backend.counts.logouts == 1 && bench.backend.liveSessions == 0)
        store.readFault = locked
        #expect(await failure { try await session.signIn(.test) } == .storeUnavailable(locked))
        #expect(bench.backend.counts.logouts == 1, "and nobody is asked if the store is known to be locked")
        #expect(bench.backend.counts.logins == 1)
    }

    @Test func `a sign-out that cannot be stored takes effect in memory, is sent to the server, and is stored later`()
        async throws
    {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        store.writeFault = locked
        #expect(await failure { try await session.signOut() } == .storeUnavailable(locked))
        #expect(session.state == .signedOut(.requested))
        #expect(bench.backend.counts.logouts == 1)
        #expect(await failure { try await session.accessToken() } == .signedOut(.requested), "it does not come back")
        store.writeFault = nil
        #expect(await failure { try await session.accessToken() } == .signedOut(.requested))
        #expect(try store.read()?.session == nil)
    }

    @Test func `a sign-out that cannot be stored at first is stored later without another call`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        store.writeFault = locked
        #expect(await failure { try await session.signOut() } == .storeUnavailable(locked))
        let events = session.events
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        await bench.clock.waitForSleep(for: .milliseconds(500))
        #expect(try store.read()?.session != nil && !session.status.isSaved)
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(500))
        for await event in events where event.kind == .saved { break }
        #expect(try store.read()?.session == nil)
        #expect(session.status.isSaved)
    }

    @Test(arguments: [true, false])
    func `a sign-out that waits for the store ends no session of a later sign-in`(isLater: Bool) async throws {
        try await bench.session(store: store).signIn(.test)
        store.readFault = locked
        let session = try bench.session(store: store)
        #expect(await failure { try await session.signOut() } == .storeUnavailable(locked))
        let events = session.events
        await bench.clock.waitForSleep(for: .milliseconds(250))
        store.readFault = nil
        bench.clock.advance(by: .milliseconds(100))
        let other = try bench.session(store: store)
        if isLater { try await other.signIn(.test) }
        bench.clock.advance(by: .milliseconds(150))
        for await event in events where event.kind == .saved { break }
        for process in [session, other] { await process.reload() }
        #expect(session.state.isSignedIn == isLater)
        #expect(other.state.isSignedIn == isLater)
    }

    @Test func `a sign-out that waits for the store does not end its session after a repeated sign-in`() async throws {
        let transport = ManualTransport()
        let session = try bench.session(store: store, transport: transport)
        async let first = session.signIn(.test)
        let tap = try await transport.next()
        let grant = String(decoding: try await bench.backend.data(for: tap.request).0, as: UTF8.self)
        tap.answer(200, json: grant)
        _ = try await first
        async let refresh: Void = session.refresh()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await refresh
        store.writeFault = locked
        async let signOut = failure { try await session.signOut() }
        try await transport.next(to: "/v1/logout").fail()
        #expect(await signOut == .storeUnavailable(locked))
        let events = session.events
        await bench.clock.waitForSleep(for: .milliseconds(250))
        store.writeFault = nil
        bench.clock.advance(by: .milliseconds(100))
        // The server returns the session that is stored, and the stored tokens are newer than those of the sign-in.
        let stored = try #require(try store.read()?.session)
        let (others, other) = (ManualTransport(), try bench.session(store: store))
        let widget = try bench.session(store: store, transport: others)
        async let again = widget.signIn(.test)
        try await others.next().answer(200, json: grant)
        _ = try await again
        #expect(widget.status.isSaved && widget.status.generation == 1)
        #expect(try store.read()?.session?.refreshToken == stored.refreshToken)
        bench.clock.advance(by: .milliseconds(150))
        for await event in events where event.kind == .saved { break }
        for process in [session, other] { await process.reload() }
        #expect(session.state.isSignedIn && other.state.isSignedIn)
        // A refresh of a process that read the record before keeps the time of the sign-in.
        let record = try #require(try store.read())
        #expect(record.with(stored).session?.signedIn == record.session?.signedIn)
    }

    @Test func `a sign-in between a pending sign-out's read and its write is kept`() async throws {
        try await bench.session(store: store).signIn(.test)
        store.readFault = locked
        let contested = ContestedStore(store)
        let session = try bench.session(store: contested)
        #expect(await failure { try await session.signOut() } == .storeUnavailable(locked))
        await bench.clock.waitForSleep(for: .milliseconds(250))
        // Another process signs in; the first read of the pending sign-out still finds the record before.
        store.readFault = nil
        let before = try store.read()
        bench.clock.advance(by: .milliseconds(100))
        let other = try bench.session(store: store)
        try await other.signIn(.test)
        let events = session.events
        contested.staleRead = before
        bench.clock.advance(by: .milliseconds(150))
        for await event in events where event.kind == .saved { break }
        #expect(contested.staleRead == nil)
        await other.reload()
        #expect(other.state == .active)
    }

    @Test func `a sign-in between the read and the write of a sign-out everywhere is kept`() async throws {
        let transport = ManualTransport()
        try await bench.session(store: store).signIn(.test)
        let contested = ContestedStore(store)
        let session = try bench.session(store: contested, transport: transport)
        async let everywhere: Void = session.signOutEverywhere()
        let call = try await transport.next(to: "/v1/logout-all")
        let before = try store.read()
        let other = try bench.session(store: store)
        try await other.signIn(.test)
        contested.staleRead = before
        call.answer(204)
        try await everywhere
        #expect(contested.staleRead == nil)
        await other.reload()
        #expect(other.state == .active)
    }

    @Test func `a sign-out in a record that could not be read at first is delivered`() async throws {
        let transport = ManualTransport()
        let first = try bench.session(store: store, transport: transport)
        async let signIn = first.signIn(.test)
        try await transport.next().answer(from: bench.backend)
        _ = try await signIn
        async let signOut: Void = first.signOut()
        try await transport.next(to: "/v1/logout").fail()
        try? await signOut
        store.readFault = locked
        let session = try bench.session(store: store)
        let events = session.events
        #expect(session.status.storeFault == locked && bench.backend.counts.logouts == 0)
        store.readFault = nil
        await session.reload()
        for await event in events where event.kind == .logoutDelivered(true) { break }
        #expect(bench.backend.counts.logouts == 1)
    }

    @Test func `a damaged record requires a sign-in, which keeps a copy of the file until a sign-out`() async throws {
        let folder = try Folder()
        let file = FileStore(directory: folder.url, name: "main")
        for isSignIn in [true, false] {
            let first = try bench.session(store: file)
            try await first.signIn(.test)
            await first.deliverPendingLogouts()
            let path = folder.url.appending(path: "main.session")
            try Data("{garbled".utf8).write(to: path)
            try folder.setMode(0o600, "main.session")
            let session = try bench.session(store: file)
            guard case .recordUnusable(let fault) = session.state, fault.kind == .damaged else {
                Issue.record("the state is \(session.state)")
                return
            }
            #expect(await failure { try await session.accessToken() } == .recordUnusable(fault))
            #expect(await failure { try await session.refresh() } == .recordUnusable(fault))
            #expect(try Data(contentsOf: path) == Data("{garbled".utf8))
            if isSignIn { try await session.signIn(.test) } else { try await session.signOut() }
            #expect(session.state == (isSignIn ? .active : .signedOut(.requested)))
            #expect(try (file.read()?.session != nil) == isSignIn)
            let aside = folder.url.appending(path: "main.session.damaged")
            #expect((try? Data(contentsOf: aside)) == (isSignIn ? Data("{garbled".utf8) : nil))
        }
    }

    @Test func `a session of another server is never presented to this one`() async throws {
        try await bench.session(store: store).signIn(.test)
        let transport = ManualTransport()
        let session = try AuthSession(
            baseURL: try Fixtures.url("https://other.example"),
            store: store,
            transport: transport,
            clock: bench.clock
        )
        guard case .recordUnusable(let fault) = await failure(of: { try await session.accessToken() }) else {
            Issue.record("a record of another server is expected")
            return
        }
        #expect(fault.kind == .foreign)
        #expect(session.state == .recordUnusable(fault) && session.status.storeFault == fault)
        #expect(transport.unclaimed.isEmpty)
        #expect("\(SessionError.recordUnusable(fault))".hasSuffix("Sign in again."))

        // A sign-in is the way out, and the other server hears of its session's end when it is asked again.
        try await session.signIn(.tokens(TokenGrant(accessToken: "a", refreshToken: Fixtures.refreshToken(0))))
        #expect(session.state == .active && session.status.hasPendingLogout)
        #expect(transport.unclaimed.isEmpty, "no token of one server goes to another")
    }

    @Test func `a refresh reports a damaged record even if the session is in memory`() async throws {
        let session = try await bench.expiredSession(store: store)
        let fault = SessionStoreError(.damaged, "garbled")
        store.readFault = fault
        #expect(await failure { try await session.accessToken() } == .recordUnusable(fault))
    }

    /// Each look into a locked store may take a second.
    @Test func `callers of a locked store share one read that starts after their requests`() async throws {
        try await bench.session(store: store).signIn(.test)
        let counting = CountingStore(store)
        store.readFault = locked
        let session = try bench.session(store: counting)
        let before = counting.reads
        let looks = session.driver.storeReadsStarted.withLock { $0 }
        for _ in 1...40 {
            let error = await failure { try await session.driver.token(for: .valid, after: looks) }
            #expect(error == .storeUnavailable(locked))
        }
        #expect(counting.reads - before == 1)
        store.readFault = nil
        #expect(try await session.accessToken().value == "access-1", "who comes later is not told what was")
    }
}

/// A store whose next read finds an earlier record, as if another process changed it right after.
private final class ContestedStore: SessionStore {
    private let base: any SessionStore
    private let stale = Locked<SessionRecord?>(nil)

    init(_ base: any SessionStore) { self.base = base }

    /// The record that the next read finds; `nil` for the stored one.
    var staleRead: SessionRecord? {
        get { stale.withLock { $0 } }
        set { stale.withLock { $0 = newValue } }
    }

    var name: String { base.name }

    func read() throws(SessionStoreError) -> SessionRecord? {
        if let record = stale.withLock({ $0.take() }) { return record }
        return try base.read()
    }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try base.replace(expected, with: record)
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try base.overwrite(with: record) }
}
