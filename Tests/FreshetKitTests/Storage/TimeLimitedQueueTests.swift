// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures

#if os(Linux)
    import Foundation
    import Testing

    @testable import FreshetKit

    @Suite(.timeLimit(.minutes(5))) struct `Time-limited queue` {
        private let queue = TimeLimitedQueue()

        private func isLocked(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return false
            } catch { return (error as? SessionStoreError)?.kind == .locked }
        }

        @Test func `a call that ends in time returns its result or its error to the caller`() throws {
            #expect(try queue.run(within: .seconds(30), cancel: {}, { () throws(SessionStoreError) in 7 }) == 7)
            let fault = SessionStoreError(.damaged, "broken")
            #expect(throws: fault) {
                try queue.run(within: .seconds(30), cancel: {}, { () throws(SessionStoreError) in throw fault })
            }
        }

        @Test func `a call that hangs is cancelled, and the next one waits for its end`() throws {
            let (cancelled, finish) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let deeds = Locked<[String]>([])
            let isGivenUp = isLocked {
                try queue.run(
                    within: .milliseconds(20),
                    cancel: { cancelled.signal() },
                    { () throws(SessionStoreError) in
                        cancelled.wait()
                        finish.wait()
                        deeds.withLock { $0.append("late write") }
                    }
                )
            }
            #expect(isGivenUp)
            // While it has not ended, others are told to come again, and do nothing.
            #expect(
                isLocked {
                    try queue.run(
                        within: .milliseconds(20),
                        cancel: {},
                        { () throws(SessionStoreError) in deeds.withLock { $0.append("never") } }
                    )
                }
            )
            finish.signal()
            try queue.run(
                within: .seconds(30),
                cancel: {},
                { () throws(SessionStoreError) in deeds.withLock { $0.append("later write") } }
            )
            #expect(deeds.withLock { $0 } == ["late write", "later write"])
        }

        @Test func `a lock is held until the call has ended, even after its caller's timeout`() throws {
            let folder = try Folder()
            let lock = ProcessLock(directory: folder.url, file: "lock")
            let (finish, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let held = try #require(try lock.attempt())
            #expect(
                isLocked {
                    try queue.run(
                        within: .milliseconds(20),
                        holding: held,
                        cancel: {},
                        { () throws(SessionStoreError) in finish.wait() }
                    )
                }
            )
            #expect(try lock.attempt() == nil)
            finish.signal()
            try queue.run(within: .seconds(30), cancel: {}, { () throws(SessionStoreError) in _ = ended.signal() })
            ended.wait()
            let free = try #require(try lock.attempt())
            free.release()
        }

        @Test func `a caller that never gets its turn releases its lock`() throws {
            let folder = try Folder()
            let lock = ProcessLock(directory: folder.url, file: "lock")
            let finish = DispatchSemaphore(value: 0)
            #expect(
                isLocked {
                    try queue.run(
                        within: .milliseconds(20),
                        cancel: {},
                        { () throws(SessionStoreError) in finish.wait() }
                    )
                }
            )
            let held = try #require(try lock.attempt())
            #expect(
                isLocked {
                    try queue.run(within: .zero, holding: held, cancel: {}, { () throws(SessionStoreError) in })
                }
            )
            let free = try #require(try lock.attempt())
            free.release()
            finish.signal()
        }
    }
#endif
