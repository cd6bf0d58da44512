// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

/// The wait for a lock of a folder, which is counted in pauses of a millisecond.
@Suite struct `Wait for a lock` {
    private let folder: Folder
    private let system = FaultyFileSystem()
    private let environment: FileEnvironment
    private let queue: LockQueue

    init() throws {
        folder = try Folder()
        environment = .simulated(system)
        queue = environment.lockQueue
    }

    private func open() throws -> SecureFolder {
        let opened = try SecureFolder.open(folder.url.path, creating: false, environment: environment)
        guard let opened else { throw SessionStoreError.missingFolder }
        return opened
    }

    @Test func `a lock wait ends after one attempt per millisecond, and does not count as an acquisition`() throws {
        let attempts = Locked(0)
        system.refuseLocks {
            _ = attempts.increment()
            return true
        }
        let open = try open()
        let ticket = queue.join(open.identifier(of: "a"))
        #expect(fault { _ = try open.lock("a", timeout: .milliseconds(40)).release() }?.kind == .locked)
        #expect(attempts.withLock { $0 } == 40)
        #expect(queue.turn(of: ticket, for: open.identifier(of: "a"), hasWaited: false).acquisitions == 0)
    }

    @Test func `a waiting thread sees that another thread has acquired the lock`() throws {
        let open = try open()
        let ticket = queue.join(open.identifier(of: "a"))
        try open.lock("a").release()
        #expect(queue.turn(of: ticket, for: open.identifier(of: "a"), hasWaited: false).acquisitions == 1)
    }

    @Test func `the timeout of a lock wait starts again whenever another thread acquires the lock`() throws {
        let open = try open(), attempts = Locked(0)
        let file = open.identifier(of: "a"), queue = queue
        system.refuseLocks {
            let count = attempts.increment()
            // Another thread acquires it for a moment.
            if count <= 60 { queue.remove(queue.join(file), file, hasAcquired: true) }
            return count <= 60
        }
        try open.lock("a", timeout: .milliseconds(30)).release()
        #expect(attempts.withLock { $0 } == 61)
    }

    @Test func `a lock wait times out although another thread has acquired the lock once`() throws {
        let open = try open(), attempts = Locked(0)
        let file = open.identifier(of: "a"), queue = queue
        system.refuseLocks {
            let count = attempts.increment()
            if count == 1 { queue.remove(queue.join(file), file, hasAcquired: true) }
            return count <= 500
        }
        #expect(fault { _ = try open.lock("a", timeout: .milliseconds(30)).release() }?.kind == .locked)
    }
}

extension Locked where Value == Int {
    /// Adds one, and returns the sum.
    fileprivate func increment() -> Int {
        withLock { value in
            value += 1
            return value
        }
    }
}
