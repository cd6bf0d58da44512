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

/// Writes that fail, and writes that other processes precede.
@Suite(.timeLimit(.minutes(5))) struct `Saving` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()

    @Test func `one task retries the write of tokens until it succeeds`() async throws {
        let unreliable = UnreliableStore(store)
        let (session, _) = try await bench.unsavedSession(store: unreliable, transport: transport)
        let saves = Locked(0)
        session.observe { event in if event.kind == .saved { saves.withLock { $0 += 1 } } }
        let saving = try #require(await session.driver.savingTask)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        await bench.clock.waitForSleep(for: .milliseconds(500))
        #expect(await session.driver.savingTask == saving)
        async let refreshed: Void = session.refresh()
        try await transport.next(to: "/v1/refresh").answer(from: bench.backend)
        try await refreshed
        #expect(await session.driver.savingTask == saving, "further tokens start no second task")
        unreliable.writeFault = nil
        bench.clock.advance(by: .milliseconds(500))
        await saving.value
        #expect(await session.driver.savingTask == nil)
        #expect(saves.withLock { $0 } == 1)
        #expect(session.status.isSaved)
    }

    @Test func `unsaved tokens are stored before the next refresh once the store can be written`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let (session, _) = try await bench.unsavedSession(store: unreliable, transport: transport)
        unreliable.writeFault = nil
        async let refreshed: Void = session.refresh()
        let second = try await transport.next(to: "/v1/refresh")
        #expect(try store.read()?.session?.generation == 1)
        second.answer(from: bench.backend)
        try await refreshed
        #expect(try store.read()?.session?.generation == 2)
    }

    @Test func `the next write of tokens finds another user's sign-in, which is adopted`() async throws {
        let unreliable = UnreliableStore(store)
        let (session, _) = try await bench.unsavedSession(store: unreliable, transport: transport)
        let saving = try #require(await session.driver.savingTask)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        let other = try bench.session(store: store)
        try await other.signIn(.password(email: "eve@example.com", password: "correct horse"))
        unreliable.writeFault = nil
        bench.clock.advance(by: .milliseconds(250))
        await saving.value
        #expect(session.status.email == "eve@example.com")
    }

    // MARK: Conflicts

    /// The other process may have been killed before its record was on disk.
    @Test func `tokens that another process has stored are made durable before they are confirmed`() async throws {
        let store = SyncRecordingStore(store)
        let otherTransport = ManualTransport()
        let one = try await bench.expiredSession(store: store, transport: transport)
        let other = try bench.session(store: store, transport: otherTransport)
        let callers = [one, other].map { session in Task { try await session.accessToken() } }
        let refresh = try await transport.next(to: "/v1/refresh")
        let otherRefresh = try await otherTransport.next(to: "/v1/refresh")
        refresh.answer(from: bench.backend)
        _ = try await transport.next(to: "/v1/confirm")
        #expect(store.generations.contains(1) == false)
        otherRefresh.answer(from: bench.backend)
        _ = try await otherTransport.next(to: "/v1/confirm")
        #expect(store.generations.contains(1))
        for caller in callers { _ = try await caller.value }
    }

    @Test func `newer tokens of another process that a write finds are made durable before they are confirmed`()
        async throws
    {
        let unreliable = UnreliableStore(store)
        let recording = SyncRecordingStore(unreliable)
        let session = try await bench.expiredSession(store: recording, transport: transport)
        let caller = Task { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        unreliable.writeFault = SessionStoreError(.locked, "the device is locked")
        refresh.answer(from: bench.backend)
        _ = try await caller.value
        let saving = try #require(await session.driver.savingTask)
        await bench.clock.waitForSleep(for: .milliseconds(250))
        let other = try bench.session(store: store)
        for _ in 1...2 { try await other.refresh() }
        unreliable.writeFault = nil
        bench.clock.advance(by: .milliseconds(250))
        await saving.value
        #expect(try store.read()?.session?.generation == 2)
        #expect(recording.generations.contains(2))
    }

    @Test(arguments: [(14, true), (15, false)])
    func `the store is read at most sixteen times until an intent is stored`(conflicts: Int, isStored: Bool)
        async throws
    {
        let contested = ConflictingStore(store)
        let session = try await bench.expiredSession(store: contested)
        contested.conflicts = conflicts
        let error = await failure { try await session.accessToken() }
        #expect(error == (isStored ? nil : .storeUnavailable(.tooManyConflicts)))
        #expect(bench.backend.counts.refreshes == (isStored ? 1 : 0))
    }

    @Test(arguments: [(15, true), (16, false)])
    func `a write of new tokens is attempted at most sixteen times`(conflicts: Int, isSaved: Bool) async throws {
        let contested = ConflictingStore(store)
        let session = try await bench.expiredSession(store: contested, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        contested.conflicts = conflicts
        refresh.answer(from: bench.backend)
        #expect(try await token.value == "access-2")
        #expect(session.status.isSaved == isSaved)
    }

    @Test(arguments: [(15, true), (16, false)])
    func `a write of a session's end is attempted at most sixteen times`(conflicts: Int, isStored: Bool) async throws {
        let contested = ConflictingStore(store)
        let session = try await bench.expiredSession(store: contested, transport: transport)
        async let error = failure { try await session.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        contested.conflicts = conflicts
        refresh.answer(400, json: #"{"error":"invalid_grant","reason":"fork"}"#)
        if !isStored {
            let pause = await bench.clock.waitForSleep { $0 < .seconds(10) }
            #expect(session.state == .offline, "the refresh is repeated")
            bench.clock.advance(by: pause)
            try await transport.next(to: "/v1/refresh")
                .answer(400, json: #"{"error":"invalid_grant","reason":"fork"}"#)
        }
        #expect(await error == .signedOut(.fork))
    }

    @Test(arguments: [(15, true), (16, false)])
    func `a write of an imported session is attempted at most sixteen times`(conflicts: Int, isStored: Bool)
        async throws
    {
        let contested = ConflictingStore(store)
        let session = try bench.session(contract: try .named("creatist"), store: contested, transport: transport)
        contested.conflicts = conflicts
        let items = InMemoryLegacyTokenSource(["accessToken": "a", "refreshToken": "r"])
        let error = await failure { try await session.importSession(from: items) }
        #expect(error == (isStored ? nil : .storeUnavailable(.tooManyConflicts)))
        #expect(session.state.isSignedIn == isStored)
    }
}

/// A store whose next replacements fail, as if another process had changed the record.
private final class ConflictingStore: SessionStore {
    private let base: any SessionStore
    private let remaining = Locked(0)

    init(_ base: any SessionStore) { self.base = base }

    /// The number of replacements that find another record.
    var conflicts: Int {
        get { remaining.withLock { $0 } }
        set { remaining.withLock { $0 = newValue } }
    }

    var name: String { base.name }

    func read() throws(SessionStoreError) -> SessionRecord? { try base.read() }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        let isConflict = remaining.withLock { remaining in
            guard remaining > 0 else { return false }
            remaining -= 1
            return true
        }
        return isConflict ? false : try base.replace(expected, with: record)
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try base.overwrite(with: record) }
}
