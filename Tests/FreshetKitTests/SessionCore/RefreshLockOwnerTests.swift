// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Owner of the refresh lock` {
    let folder: Folder
    let file: ProcessLock

    init() throws {
        folder = try Folder()
        file = ProcessLock(directory: folder.url, file: "main.refresh")
    }

    private func refreshLock(singleUse: Bool) -> RefreshLock {
        RefreshLock(file, policy: RefreshLockPolicy(allowsRepeatedRefresh: !singleUse))
    }

    @Test func `the owner of a refresh lock is recorded only for single-use tokens`() async throws {
        let clock = TestClock().sessionClock()
        let repeated = refreshLock(singleUse: false)
        try await repeated.acquire(within: .seconds(50), on: clock)
        #expect(file.lastOwner() == nil)
        #expect(try file.attempt() == nil, "the lock is held")
        repeated.release()
        for number in [1, 2] as [UInt64] {
            let lock = refreshLock(singleUse: true)
            try await lock.acquire(within: .seconds(50), on: clock)
            #expect(file.lastOwner() == number)
            #expect(try file.attempt() == nil, "the lock is held")
            lock.release()
        }
        #expect(try file.attempt() != nil)
    }

    @Test(arguments: [true, false])
    func `the wait for a refresh lock is limited to one timeout while its owner is the same`(singleUse: Bool)
        async throws
    {
        let owner = try #require(try file.attempt())
        owner.recordOwner()
        let clock = TestClock()
        let lock = refreshLock(singleUse: singleUse)
        async let end: Duration = {
            try await lock.acquire(within: .seconds(5), on: clock.sessionClock())
            return clock.now.offset
        }()
        // A repeated timeout would end as well.
        let later = Task {
            for _ in 1...10 {
                await clock.waitForSleep { _ in true }
                clock.advance(by: .seconds(1))
            }
        }
        #expect(try await end == .seconds(5))
        later.cancel()
        owner.release()
    }

    /// The system announced the suspension before the refresh came to its lock.
    @Test func `a refresh lock that was released before its acquisition is not acquired`() async throws {
        let clock = TestClock().sessionClock()
        for singleUse in [true, false] {
            let lock = refreshLock(singleUse: singleUse)
            lock.release()
            var fault: SessionStoreError?
            do throws(SessionStoreError) {
                try await lock.acquire(within: .seconds(50), on: clock)
            } catch { fault = error }
            #expect(fault?.kind == (singleUse ? .locked : nil))
            #expect(try file.attempt() != nil, "another process can acquire it")
        }
    }
}
