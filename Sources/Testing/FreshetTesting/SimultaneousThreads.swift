// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// System threads that run a closure at the same moment.
///
/// Tasks are not suitable: the concurrency runtime has only one thread per core, and may run tasks one after the other.
final class SimultaneousThreads: Sendable {
    private struct Content {
        var round = 0
        var work: (@Sendable (Int) -> Void)?
        var working = 0
        var isOver = false
    }

    private let count: Int
    private let content = Locked(Content())

    /// Starts threads, which wait for rounds.
    init(_ count: Int) {
        self.count = count
        for index in 0..<count { Thread.detachNewThread { [self] in run(index) } }
    }

    /// Runs `work` on each thread with its index, starting simultaneously, and returns when all have finished.
    func round(_ work: @escaping @Sendable (_ index: Int) -> Void) {
        content.withLock { content in
            content.work = work
            content.working = count
            content.round += 1
        }
        spin { $0.working == 0 ? true : nil }
    }

    /// Stops the threads.
    func end() { content.withLock { $0.isOver = true } }

    private func run(_ index: Int) {
        var last = 0
        // The threads spin: waking a blocked thread takes longer than an operation of a microsecond.
        while let (round, work) = spin({ content -> (Int, (@Sendable (Int) -> Void)?)?? in
            if content.isOver { return .some(nil) }
            return content.round > last ? .some((content.round, content.work)) : nil
        }) {
            last = round
            // A random delay, so that one thread's operation may start at any point during another's.
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
            // The other threads may be waiting for a disk.
            if looks > 20_000 { usleep(100) }
        }
    }

    /// Runs `body` on a thread per value, starting simultaneously, and returns when all have finished.
    static func run<Value: Sendable>(_ values: [Value], _ body: @escaping @Sendable (Value) -> Void) {
        let threads = SimultaneousThreads(values.count)
        threads.round { body(values[$0]) }
        threads.end()
    }
}
