// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// Threads of the system's that do something at the same moment.
///
/// Tasks would not do: the concurrency runtime has as many threads as there are cores, and may run them in turn.
final class SimultaneousThreads: Sendable {
    private struct Content {
        var round = 0
        var work: (@Sendable (Int) -> Void)?
        var working = 0
        var isOver = false
    }

    private let count: Int
    private let content = Locked(Content())

    /// Starts threads that wait for rounds.
    init(_ count: Int) {
        self.count = count
        for index in 0..<count { Thread.detachNewThread { [self] in run(index) } }
    }

    /// Has each thread do `work` with its index, all from the same moment on, and returns when they have.
    func round(_ work: @escaping @Sendable (_ index: Int) -> Void) {
        content.withLock { content in
            content.work = work
            content.working = count
            content.round += 1
        }
        spin { $0.working == 0 ? true : nil }
    }

    /// Lets the threads end.
    func end() { content.withLock { $0.isOver = true } }

    private func run(_ index: Int) {
        var last = 0
        // They spin: a thread that has to be woken comes too late for what takes a microsecond.
        while let (round, work) = spin({ content -> (Int, (@Sendable (Int) -> Void)?)?? in
            if content.isOver { return .some(nil) }
            return content.round > last ? .some((content.round, content.work)) : nil
        }) {
            last = round
            // One thread's step falls anywhere into the other's.
            for _ in 0..<Int.random(in: 0..<64) { _ = content.withLock { $0.isOver } }
            work?(index)
            content.withLock { $0.working -= 1 }
        }
    }

    @discardableResult
    private func spin<Value>(_ answer: (Content) -> Value?) -> Value {
        var looks = 0
        while true {
            if let value = content.withLock({ answer($0) }) { return value }
            looks += 1
            if looks.isMultiple(of: 200) { sched_yield() }
            // The others may be waiting for a disk.
            if looks > 20_000 { usleep(100) }
        }
    }

    /// Has a thread for each value work with it, all from the same moment on, and returns when they have.
    static func run<Value: Sendable>(_ values: [Value], _ body: @escaping @Sendable (Value) -> Void) {
        let threads = SimultaneousThreads(values.count)
        threads.round { body(values[$0]) }
        threads.end()
    }
}
