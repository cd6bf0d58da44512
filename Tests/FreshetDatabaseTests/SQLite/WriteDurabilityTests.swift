// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import GRDB
import NIOConcurrencyHelpers
import Testing

@testable import FreshetDatabase

/// The flushes of a batch, by what its writes tell their callers.
@Suite(.timeLimit(.minutes(5)))
struct `The durability of a batch` {
    private struct BrokenDisk: Error {}

    /// A writer on a database in memory, with the number of its flushes after a failed one, and whether they fail.
    private struct Writer {
        let trust = WALTrust()
        let restores = NIOLockedValueBox(0)
        let isBroken = NIOLockedValueBox(false)
        let writes: WriteBatcher

        init() throws {
            let queue = try DatabaseQueue()
            writes = WriteBatcher(trust: trust) { [restores, isBroken] _ in
                if isBroken.withLockedValue({ $0 }) { throw BrokenDisk() }
                restores.withLockedValue { $0 += 1 }
            } on: { work in
                queue.inDatabase { database in
                    work(Result { SQLiteConnection(try #require(database.sqliteConnection)) })
                }
            }
        }

        /// Runs a write that does nothing, in a batch of its own.
        func write(_ durability: WriteDurability) async throws {
            try await withCheckedThrowingContinuation { continuation in
                writes.enqueue({ _ in WriteResult(value: (), durability: durability) }) {
                    (result: Result<Void, any Error>) in continuation.resume(with: result)
                }
            }
        }
    }

    @Test func `a result that depends on earlier commits is flushed only if the WAL is not trusted`() async throws {
        let writer = try Writer()
        try await writer.write(.earlierCommits)
        #expect(writer.writes.flushes == 0 && !writer.writes.mayLoseCommits)
        writer.trust.becameUnknown()
        #expect(writer.writes.mayLoseCommits)
        writer.isBroken.withLockedValue { $0 = true }
        // Refreshes go on.
        try await writer.write(.none)
        await #expect(throws: BrokenDisk.self) { try await writer.write(.earlierCommits) }
        writer.isBroken.withLockedValue { $0 = false }
        try await writer.write(.none)
        #expect(writer.restores.withLockedValue { $0 } == 0)
        try await writer.write(.earlierCommits)
        #expect(writer.restores.withLockedValue { $0 } == 1)
    }

    @Test func `a durable write is marked as unflushed from before its commit until its flush`()
        async throws
    {
        let writer = try Writer()
        let writes = writer.writes
        let wasInDoubt = NIOLockedValueBox(false)
        try await withCheckedThrowingContinuation { continuation in
            writes.enqueue({ _ in
                // It joins the transaction.
                writes.enqueue({ _ in WriteResult(value: wasInDoubt.withLockedValue { $0 = writes.mayLoseCommits }) }) {
                    (result: Result<Void, any Error>) in continuation.resume(with: result)
                }
                return WriteResult(value: (), durability: .write)
            }) { (_: Result<Void, any Error>) in }
        }
        #expect(wasInDoubt.withLockedValue { $0 } && writes.commits == 1 && writes.flushes == 1)
        #expect(!writes.mayLoseCommits)
    }

    @Test func `a write after a failed flush repeats the flush`() async throws {
        let writer = try Writer()
        writer.trust.becameUnknown()
        writer.isBroken.withLockedValue { $0 = true }
        await #expect(throws: BrokenDisk.self) { try await writer.write(.write) }
        // A later write, which may depend on it, flushes it.
        await #expect(throws: BrokenDisk.self) { try await writer.write(.none) }
        writer.isBroken.withLockedValue { $0 = false }
        try await writer.write(.none)
        #expect(writer.restores.withLockedValue { $0 } == 1)
    }
}
