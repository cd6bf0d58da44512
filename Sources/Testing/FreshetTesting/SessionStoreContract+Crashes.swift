// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(macOS) || os(Linux)
    public import Foundation
    public import FreshetKit

    /// Checks of a persistent store after a process that writes to it is killed.
    extension SessionStoreContract {
        /// Replaces records in `store` until the process is killed.
        ///
        /// It prints the number of each stored record.
        /// Call it from the program that ``checkCrashes(of:rounds:writer:)`` starts; do nothing else there.
        ///
        /// - Throws: The store's errors, and ``Violation`` if another process writes to the store.
        public static func writeUntilKilled(to store: any SessionStore) throws -> Never {
            var current = try store.read()
            var number = try current.map(Self.number) ?? 0
            while true {
                let next = try record(number + 1)
                try expect(
                    try store.replace(current, with: next),
                    .oneWinner,
                    "a record that no other process changes was not replaced"
                )
                number += 1
                current = next
                try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
            }
        }

        /// Kills writer processes at random moments and reads the record that each leaves.
        ///
        ///     try await SessionStoreContract.checkCrashes(of: MyStore(service: "crash")) {
        ///         let writer = Process()
        ///         writer.executableURL = helper      // a program that calls writeUntilKilled(to: MyStore(service: "crash"))
        ///         return writer
        ///     }
        ///
        /// The record must be the last one that the store reported to the writer as stored, or the next one. A lock
        /// that the writer held must be released.
        ///
        /// - Parameters:
        ///   - store: The store that the writers use, empty at first and emptied afterwards.
        ///   - rounds: The number of writers to kill.
        ///   - writer: Returns a process that is not started yet; its standard output is replaced.
        /// - Throws: ``Violation`` with the rule that was broken, or an error of the store or the system.
        public static func checkCrashes(
            of store: any SessionStore,
            rounds: Int = 50,
            writer: @escaping @Sendable () throws -> Process
        ) async throws {
            for _ in 0..<rounds {
                // Waiting for the writer blocks, and the concurrency runtime has only a thread per core.
                try await withCheckedThrowingContinuation { (round: CheckedContinuation<Void, any Error>) in
                    Thread.detachNewThread { round.resume(with: Result { try checkCrash(of: store, writer()) }) }
                }
            }
            try store.overwrite(with: nil)
        }

        private static func checkCrash(of store: any SessionStore, _ process: Process) throws {
            let before = try store.read().map(number) ?? 0
            let writer = try CrashingWriter(process, commits: .random(in: 1...8))
            let last = before + writer.commits
            guard let record = try store.read() else {
                throw Violation(rule: .crashes, detail: "nothing is there after a crash at record \(last)")
            }
            let found = try number(record)
            try expect(
                writer.lastLine == "\(last)" && (found == last || found == last + 1),
                .crashes,
                "record \(found) is there after a crash, and neither \(last) nor the next"
            )
            try keeping(.crashes, "replacing the record after a crash") {
                let isReplaced = try store.replace(record, with: try Self.record(found + 1))
                try expect(isReplaced, .crashes, "the record cannot be replaced after a crash")
            }
        }
    }
#endif
