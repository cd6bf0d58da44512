// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(macOS) || os(Linux)
    public import Foundation
    public import FreshetKit

    /// What a store that rests outside the process must keep to when a process that writes to it is killed.
    extension SessionStoreContract {
        /// Replaces records in `store` for ever, and prints the number of each when it rests there.
        ///
        /// It is all that the program does that ``checkCrashes(of:rounds:writer:)`` starts and kills.
        ///
        /// - Throws: Whatever the store throws, and ``Violation`` if it says that somebody else writes.
        public static func writeUntilKilled(to store: any SessionStore) throws -> Never {
            var current = try store.read()
            var number = try current.map(Self.number) ?? 0
            while true {
                let next = try record(number + 1)
                try expect(
                    try store.replace(current, with: next),
                    .oneWinner,
                    "a record that nothing else touches was not replaced"
                )
                number += 1
                current = next
                try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
            }
        }

        /// Kills one writer after another at random moments, and reads what each left behind.
        ///
        ///     try await SessionStoreContract.checkCrashes(of: MyStore(service: "crash")) {
        ///         let writer = Process()
        ///         writer.executableURL = helper      // a program that calls writeUntilKilled(to: MyStore(service: "crash"))
        ///         return writer
        ///     }
        ///
        /// The record must be the last that the writer was told is stored, or the next one: never another, never none. A
        /// lock that the writer held must be free.
        ///
        /// - Parameters:
        ///   - store: The writers' store, which is empty at first and is left empty.
        ///   - rounds: How many writers to kill.
        ///   - writer: A process that was not started yet; its standard output is taken.
        /// - Throws: ``Violation`` with the rule that was broken, or whatever the store or the system throws.
        public static func checkCrashes(
            of store: any SessionStore,
            rounds: Int = 50,
            writer: @escaping @Sendable () throws -> Process
        ) async throws {
            for _ in 0..<rounds {
                // Waiting for the writer blocks, and the concurrency runtime has as many threads as there are cores.
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
