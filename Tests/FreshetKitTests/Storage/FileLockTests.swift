// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `File lock` {
    private let folder: Folder
    private let system = FaultyFileSystem()
    private let faultyLock: ProcessLock

    init() throws {
        folder = try Folder()
        faultyLock = ProcessLock(
            folder: folder.url.path,
            file: "lock",
            createsFolder: false,
            environment: .simulated(system)
        )
    }

    @Test func `a file lock is released although a child process has a copy of its descriptor`() throws {
        let folder = try Folder()
        let lock = ProcessLock(directory: folder.url, file: "lock")
        let held = try #require(try lock.attempt())
        // As `fork` copies it, until the child executes its program.
        let copy = dup(held.file)
        defer { close(copy) }
        #expect(try lock.attempt() == nil)
        held.release()
        let next = try #require(try lock.attempt())
        next.release()
    }

    @Test func `a file lock is released with its last reference`() throws {
        let lock = ProcessLock(directory: try Folder().url.appending(path: "locks"), file: "lock")
        var held = try lock.attempt()
        #expect(held?.isHeld == true)
        #expect(try lock.attempt() == nil)
        held = nil
        #expect(try lock.attempt() != nil)
    }

    @Test func `a released lock writes no owner, as its descriptor may belong to another file`() throws {
        let released = try #require(try faultyLock.attempt())
        released.release()
        system.fail(.pwrite, EIO)
        released.recordOwner()
        let held = try #require(try faultyLock.attempt())
        // The error is still there for the next write, so there was none.
        #expect(!held.overwrite(with: [1]))
        #expect(held.overwrite(with: [1]))
        held.release()
    }

    @Test func `a write of no bytes to a lock's file is not repeated after an interruption`() throws {
        let held = try #require(try faultyLock.attempt())
        system.limitWrites(to: 0)
        system.fail(.pwrite, EINTR, 0, EIO)
        #expect(!held.overwrite(with: [1]))
        system.limitWrites(to: .max)
        // The error is still there for the next call, so the write was not repeated.
        #expect(!held.overwrite(with: [1]))
        #expect(held.overwrite(with: [1]))
        held.release()
    }

    @Test func `a thread that has waited long acquires the file lock before a later thread`() throws {
        let system = FaultyFileSystem(), folder = try Folder(), path = folder.url.path
        let order = Locked<[String]>([]), first = DispatchSemaphore(value: 0)
        var environment = FileEnvironment(platform: .linux, protect: { _ in }, suspension: nil)
        environment.system = system
        let queue = environment.lockQueue
        let file = try SecureFolder.open(path, creating: true, environment: environment)?.identifier(of: "lock") ?? ""
        // Another process owns the lock until the first thread has waited for long, and then the second for some time.
        let attempts = Locked(0)
        system.refuseLocks {
            if !order.withLock({ $0.isEmpty }) { return false }
            let count = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if count == 110 { first.signal() }
            return queue.count(for: file) < 2 || count < 130
        }
        let ended = DispatchSemaphore(value: 0)
        for name in ["first", "second"] {
            Thread.detachNewThread { [environment] in
                defer { ended.signal() }
                guard let open = try? SecureFolder.open(path, creating: false, environment: environment),
                    let lock = try? open.lock("lock")
                else { return }
                order.withLock { $0.append(name) }
                lock.release()
            }
            if name == "first" { first.wait() }
        }
        for _ in 0..<2 { ended.wait() }
        #expect(order.withLock { $0 } == ["first", "second"])
        #expect(queue.count(for: file) == 0)
    }
}
