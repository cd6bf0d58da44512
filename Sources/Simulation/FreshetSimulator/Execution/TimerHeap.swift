// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HeapModule

/// Values with due times, the earliest first; among equal times the first inserted.
struct TimerHeap<Value> {
    private struct Timer: Comparable {
        var time: Int64
        var sequence: UInt64
        var value: Value

        static func < (one: Timer, other: Timer) -> Bool { (one.time, one.sequence) < (other.time, other.sequence) }
        static func == (one: Timer, other: Timer) -> Bool { one.sequence == other.sequence }
    }

    private var timers = Heap<Timer>()
    private var inserted: UInt64 = 0

    var isEmpty: Bool { timers.isEmpty }
    /// The earliest due time, in nanoseconds.
    var next: Int64? { timers.min?.time }

    mutating func insert(_ value: Value, at time: Int64) {
        inserted += 1
        timers.insert(Timer(time: time, sequence: inserted, value: value))
    }

    /// Removes the value with the earliest due time.
    mutating func removeFirst() -> Value? { timers.popMin()?.value }
}
