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

/// A lock for refreshes that cannot be opened.
@Suite(.timeLimit(.minutes(5))) struct `Refresh locks` {
    let bench = SessionFixture()
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test func `a refresh without its lock is allowed after a denial, and after more faults if it may be repeated`() {
        let kinds: [SessionStoreError.Kind] = [.locked, .missing, .denied, .failed, .damaged, .foreign]
        let once = RefreshLockPolicy(allowsRepeatedRefresh: false)
        #expect(kinds.map { once.allowsRefresh(without: .init($0, "")) } == [false, false, true, false, false, false])
        let repeated = RefreshLockPolicy(allowsRepeatedRefresh: true)
        #expect(kinds.map { repeated.allowsRefresh(without: .init($0, "")) } == [false, false, true, true, true, true])
    }

    /// On a slow network, three processes that refresh one after the other hold the lock for longer than one of them may.
    @Test(arguments: [true, false])
    func `a refresh of a single-use token waits for the lock as long as the lock's owner changes`(once: Bool)
        async throws
    {
        let file = ProcessLock(directory: folder.url, file: "main.refresh")
        let clock = TestClock()
        func owner() throws -> FileLock {
            let lock = try #require(try file.attempt())
            lock.recordOwner()
            return lock
        }
        let first = try owner()
        let turn = RefreshLock(file, policy: RefreshLockPolicy(allowsRepeatedRefresh: !once))
        async let end: Duration = {
            try await turn.acquire(within: .seconds(5), on: clock.sessionClock())
            return clock.now.offset
        }()
        await clock.waitForSleep { _ in true }
        first.release()
        let second = try owner()
        let later = Task {
            for _ in 1...10 {
                clock.advance(by: .seconds(1))
                await clock.waitForSleep { _ in true }
            }
        }
        // The second owner does not change: it may be suspended.
        #expect(try await end == .seconds(once ? 10 : 5))
        later.cancel()
        second.release()
    }

    /// The process with the lock slept as well: if its token were presented again, both would use it.
    @Test func `the wait for the refresh lock does not count the time while the device sleeps`() async throws {
        let file = ProcessLock(directory: folder.url, file: "main.refresh")
        let clock = TestClock()
        let owner = try #require(try file.attempt())
        let turn = RefreshLock(file, policy: RefreshLockPolicy(allowsRepeatedRefresh: false))
        async let end: Duration = {
            try await turn.acquire(within: .seconds(5), on: clock.sessionClock())
            return clock.now.offset
        }()
        await clock.waitForSleep { _ in true }
        clock.advance(by: .seconds(3600))
        for _ in 1...4 {
            await clock.waitForSleep { _ in true }
            clock.advance(by: .seconds(1))
        }
        #expect(try await end == .seconds(3604))
        owner.release()
    }

    /// The system is about to suspend the app, which waits for the refresh of another process.
    @Test func `a wait for the refresh lock that is released early fails only if the token is single-use`() async throws
    {
        let file = ProcessLock(directory: folder.url, file: "main.refresh")
        let other = try #require(try file.attempt())
        for allowsRepeatedRefresh in [true, false] {
            let clock = TestClock()
            let turn = RefreshLock(file, policy: RefreshLockPolicy(allowsRepeatedRefresh: allowsRepeatedRefresh))
            async let fault: SessionStoreError? = {
                do throws(SessionStoreError) {
                    try await turn.acquire(within: .seconds(50), on: clock.sessionClock())
                    return nil
                } catch { return error }
            }()
            await clock.waitForSleep { _ in true }
            turn.release()
            clock.advance(by: .seconds(1))
            #expect(await fault?.kind == (allowsRepeatedRefresh ? nil : .locked))
        }
        other.release()
    }

    /// The lock's file is a folder for a while, which cannot be opened for writing.
    @Test func `a single-use token is not presented while its refresh lock cannot be opened`() async throws {
        let transport = ManualTransport()
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"once","title":"Once","rotation":"always",
                "endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}}},
                "reply":{"access":"/a","refresh":"/r","expiry":[{"in":"/e","unit":"s"}]}}
                """.utf8
            )
        )
        let store = FileStore(directory: folder.url, name: "main")
        let session = try bench.session(contract: contract, store: store, transport: transport)
        try await session.signIn(
            .tokens(TokenGrant(accessToken: "a0", refreshToken: "r0", expiresIn: .seconds(600)))
        )
        bench.clock.advance(by: .seconds(601))
        let file = folder.url.appending(path: "main.refresh")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        guard case .storeUnavailable? = await failure(of: { try await session.accessToken() }) else {
            Issue.record("the refresh went ahead without its lock")
            return
        }
        #expect(transport.unclaimed.isEmpty)
        #expect(session.state.isSignedIn)
        try FileManager.default.removeItem(at: file)
        async let token = session.accessToken()
        try await transport.next(to: "/r").answer(200, json: #"{"a":"a1","r":"r1","e":600}"#)
        #expect(try await token.value == "a1")
    }

    /// The system may suspend the process from then on, and terminates one that holds a lock on a shared file.
    @Test func `the refresh lock is released before the background assertion ends`() async throws {
        let store = FileStore(directory: folder.url, name: "main")
        let wasFree = Locked<[Bool]>([])
        var bench = bench
        bench.configuration.backgroundAssertion = BackgroundAssertion { _, _ in
            {
                let lock = try? store.processLock?.attempt()
                wasFree.withLock { $0.append(lock != nil) }
                lock?.release()
            }
        }
        let session = try await bench.expiredSession(store: store)
        _ = try await session.accessToken()
        await session.awaitConfirmation()
        #expect(wasFree.withLock { $0 } == [true])
    }

    @Test func `a refresh over Freshet's own protocol succeeds when the refresh lock cannot be opened`() async throws {
        let session = try bench.session(store: FileStore(directory: folder.url, name: "main"))
        try await session.signIn(.test)
        bench.clock.advance(by: .seconds(601))
        let file = folder.url.appending(path: "main.refresh")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `a store sets file protection on its folder, record and lock files`() async throws {
        let protected = Locked<[String]>([])
        let environment = FileEnvironment(
            platform: .iOS,
            protect: { path in protected.withLock { $0.append((path as NSString).lastPathComponent) } },
            suspension: nil
        )
        let place = folder.url.appending(path: "store")
        let store = FileStore(in: StoreFolder(place, environment: environment), name: "main")
        try store.overwrite(with: Fixtures.record(Fixtures.stored(0)))
        #expect(protected.withLock { $0 } == ["store", "main.lock", ".main.new"])
        protected.withLock { $0 = [] }
        // A lock file that an earlier version made is protected at its next use, too.
        try Data().write(to: place.appending(path: "main.refresh"))
        #expect(try store.processLock?.attempt() != nil)
        #expect(protected.withLock { $0 } == ["main.refresh"])
    }
}
