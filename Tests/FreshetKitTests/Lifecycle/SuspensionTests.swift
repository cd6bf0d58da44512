// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `Suspension state machine` {
    var machine = SuspensionStateMachine()

    @Test mutating func `locks share one activity, from the first to the last`() {
        let first = machine.acquire()
        #expect(first.permission == .request(1))
        let second = machine.acquire()
        #expect(second.permission == .wait(1))
        #expect(machine.isGranted(first.owner) == nil)
        machine.granted(1)
        #expect(machine.isGranted(first.owner) == true && machine.isGranted(second.owner) == true)
        let third = machine.acquire()
        #expect(third.permission == .granted)
        for owner in [first.owner, third.owner] {
            machine.release(owner)
            #expect(machine.isCurrent(1))
        }
        machine.release(second.owner)
        #expect(machine.state == .idle && !machine.isCurrent(1))
        #expect(machine.acquire().permission == .request(2))
    }

    @Test mutating func `an assertion that expires before it is granted is refused, and requested again`() {
        let first = machine.acquire()
        #expect(machine.expired(1).isEmpty)
        #expect(machine.isGranted(first.owner) == false)
        machine.release(first.owner)
        let second = machine.acquire()
        #expect(second.permission == .request(2))
        // News of the activity before is late.
        machine.granted(1)
        #expect(machine.expired(1).isEmpty)
        #expect(machine.isGranted(second.owner) == nil)
        machine.granted(2)
        #expect(machine.isGranted(second.owner) == true)
    }

    @Test mutating func `an owner whose activity expired before it was granted takes no lock in the next one`() {
        let first = machine.acquire()
        #expect(machine.expired(1).isEmpty)
        // The first owner's thread has not learned of it yet.
        let second = machine.acquire()
        #expect(second.permission == .request(2))
        #expect(machine.isGranted(first.owner) == false)
        machine.granted(2)
        #expect(machine.isGranted(first.owner) == false)
        machine.release(first.owner)
        #expect(machine.isGranted(second.owner) == true)
    }

    @Test mutating func `all locks are released before a suspension, and a new lock is refused`() {
        let (first, second) = (machine.acquire().owner, machine.acquire().owner)
        machine.granted(1)
        #expect(machine.expired(1) == [first, second])
        #expect(machine.acquire().permission == .refused)
        machine.release(first)
        #expect(machine.acquire().permission == .refused && machine.isCurrent(1))
        machine.release(second)
        #expect(!machine.isCurrent(1))
        #expect(machine.acquire().permission == .request(2))
    }

    @Test mutating func `a lock request that is withdrawn before it is granted ends the activity`() {
        let first = machine.acquire()
        machine.release(first.owner)
        #expect(machine.state == .idle)
        machine.granted(1)
        #expect(machine.state == .idle)
        #expect(!machine.isCurrent(1))
    }
}

/// File locks and the suspension of the process: the system ends one that is suspended while it holds a lock.
@Suite(.timeLimit(.minutes(5))) struct `Locks and suspension` {
    let folder: Folder
    let system = FakeActivity()
    let environment: FileEnvironment

    init() throws {
        folder = try Folder()
        // As long as a busy machine may take.
        let suspension = SuspensionGuard(system.activity, briefLockTimeout: 120)
        environment = FileEnvironment(platform: .iOS, protect: { _ in }, suspension: suspension)
    }

    private func open() throws -> SecureFolder {
        guard let folder = try SecureFolder.open(folder.url.path, creating: false, environment: environment) else {
            throw CancellationError()
        }
        return folder
    }

    @Test func `a lock is held only during a system activity, which ends with the last lock`() async throws {
        let folder = try open()
        let lock = try folder.lock("a")
        #expect(system.running == 1)
        let other = try #require(try folder.tryLock("b"))
        #expect(system.begun == 1)
        lock.release()
        other.release()
        await system.untilIdle()
        #expect(try folder.lock("a").isHeld)
        #expect(system.begun == 2)
    }

    @Test func `a failed attempt to take a lock leaves no activity running`() async throws {
        let folder = try open()
        let lock = try #require(try folder.tryLock("a"))
        let second = try folder.tryLock("a")
        #expect(second == nil)
        lock.release()
        await system.untilIdle()
    }

    @Test func `no lock is taken when the process is about to be suspended`() throws {
        system.isGranting = false
        let folder = try open()
        for call in [{ _ = try folder.lock("a") }, { _ = try folder.tryLock("a") }] as [() throws -> Void] {
            #expect { try call() } throws: { ($0 as? SessionStoreError)?.kind == .locked }
        }
        // Another process is not kept out.
        #expect(try open(elsewhere: "a")?.isHeld == true)
    }

    @Test func `a lock is released before the process is suspended, and another process can take it`() async throws {
        let folder = try open()
        let lock = try #require(try folder.tryLock("a"))
        system.expire()
        #expect(!lock.isHeld)
        await system.untilIdle()
        let other = try open(elsewhere: "a")
        #expect(other?.isHeld == true)
        // Its number may be another file's by now.
        lock.release()
        #expect(other?.isHeld == true)
        #expect(lock.whileHeld { true } == nil)
    }

    @Test func `a suspension waits for the release of a brief lock`() async throws {
        let lock = try open().lock("a"), isExpired = Locked(false), system = system
        async let expiry: Void = Task.detached {
            system.expire()
            isExpired.withLock { $0 = true }
        }.value
        await system.until { !$0.isGranting }
        #expect(lock.isHeld && !isExpired.withLock { $0 })
        lock.release()
        await expiry
    }

    @Test func `a lock that is released before its permission is granted leaves no activity behind`() throws {
        let suspension = SuspensionGuard(system.activity), files = POSIXFileSystem()
        let lock = FileLock(file: files.open(folder.url.path, O_RDONLY | O_CLOEXEC), system: files)
        lock.release()
        try lock.holdLease(suspension, isBrief: false)
        // An activity that is still running would be shared with the next lock.
        let lease = try suspension.lease {}
        #expect(system.begun == 2)
        lease.end()
    }

    @Test func `a permission that expires before its owner uses it does not prevent later locks`() throws {
        let suspension = Locked<SuspensionGuard?>(nil), isFirst = Locked(true)
        let system = system, expired = DispatchSemaphore(value: 0)
        let activity = ExpiringActivity { reason, body in
            system.activity.perform(reason, body)
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isFirst else { return }
            // The first owner's thread continues when the activity has been granted and has expired.
            try? suspension.withLock { $0 }?.lease {}.end()
            Thread.detachNewThread { system.expire() }
            expired.wait()
        }
        let shared = SuspensionGuard(activity)
        suspension.withLock { $0 = shared }
        #expect(throws: SessionStoreError.suspension) { try shared.lease { expired.signal() }.end() }
        system.isGranting = true
        try shared.lease {}.end()
        suspension.withLock { $0 = nil }
    }

    private func open(elsewhere name: String) throws -> FileLock? {
        guard let folder = try SecureFolder.open(folder.url.path, creating: false) else { return nil }
        return try folder.tryLock(name)
    }

    // MARK: Sessions and the outbox

    @Test func `a refresh releases its lock before a suspension, and its tokens are stored afterwards`()
        async throws
    {
        let bench = SessionFixture(), transport = ManualTransport()
        let store = FileStore(in: StoreFolder(folder.url, environment: environment), name: "main")
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        #expect(system.running > 0)
        system.expire()
        await system.untilIdle()
        #expect(try open(elsewhere: "main.refresh")?.isHeld == true)
        system.isGranting = true
        refresh.answer(from: bench.backend)
        #expect(try await token.value == "access-2")
        #expect(session.status.isSaved)
    }

    @Test func `no refresh begins when the process is about to be suspended`() async throws {
        let bench = SessionFixture(), transport = ManualTransport()
        let store = FileStore(in: StoreFolder(folder.url, environment: environment), name: "main")
        let session = try await bench.expiredSession(store: store, transport: transport)
        system.isGranting = false
        guard case .storeUnavailable? = await failure(of: { try await session.accessToken() }) else {
            Issue.record("a refresh began")
            return
        }
        #expect(transport.unclaimed.isEmpty && session.state.isSignedIn)
    }

    @Test func `the lock of a claimed outbox item is released before the process is suspended`() throws {
        let outbox = try #require(
            try OutboxFolder(folder.url.appending(path: "f").path, creating: true, Locked(0), environment: environment)
        )
        var request = URLRequest(url: try Fixtures.url("https://api.example.com/notes"))
        request.httpMethod = "POST"
        let item = try OutboxItem(request, key: nil, dropping: [])
        let draft = OutboxFolder.Draft(id: UUID(), lane: "main", bytes: try item.encoded())
        _ = try outbox.append([[draft]], at: Date(), within: OutboxConfiguration())
        let listing = try outbox.list()
        guard case .item(_, let lane) = try outbox.claim(listing.waiting[0], by: listing.serial) else {
            throw CancellationError()
        }
        #expect(lane.isHeld && system.running > 0)
        system.expire()
        #expect(!lane.isHeld)
        // The file of a lock that others may have by now stays.
        outbox.removeLockFile(lane)
        #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: "f/lanes/main.lock").path))
    }

    @Test func `a background assertion lasts until it is ended, and reports if the system ends it first`() async throws
    {
        let expired = Locked(0), assertion = BackgroundAssertion.expiring(system.activity)
        let end = await assertion.begin("test") { expired.withLock { $0 += 1 } }
        #expect(system.running == 1)
        end()
        await system.untilIdle()
        #expect(expired.withLock { $0 } == 0)
        let other = await assertion.begin("test") { expired.withLock { $0 += 1 } }
        system.expire()
        #expect(expired.withLock { $0 } == 1)
        other()
        await system.untilIdle()
    }
}
