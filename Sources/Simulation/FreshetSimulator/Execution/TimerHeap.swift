// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Values with due times, the earliest first; among equal times the first inserted (a binary heap).
struct TimerHeap<Value> {
    private struct Timer {
        var time: Duration
        var sequence: UInt64
        var value: Value

        func precedes(_ other: Timer) -> Bool { (time, sequence) < (other.time, other.sequence) }
    }

    private var timers: [Timer] = []
    private var inserted: UInt64 = 0

    var isEmpty: Bool { timers.isEmpty }
    /// The earliest due time.
    var next: Duration? { timers.first?.time }

    mutating func insert(_ value: Value, at time: Duration) {
        inserted += 1
        timers.append(Timer(time: time, sequence: inserted, value: value))
        var child = timers.count - 1
        while child > 0, case let parent = (child - 1) / 2, timers[child].precedes(timers[parent]) {
            timers.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the value with the earliest due time.
    mutating func removeFirst() -> Value? {
        guard let first = timers.first, let last = timers.popLast() else { return nil }
        guard !timers.isEmpty else { return first.value }
        timers[0] = last
        var parent = 0
        while true {
            let children = (2 * parent + 1..<2 * parent + 3).filter { $0 < timers.count }
            guard let child = children.min(by: { timers[$0].precedes(timers[$1]) }),
                timers[child].precedes(timers[parent])
            else { break }
            timers.swapAt(child, parent)
            parent = child
        }
        return first.value
    }
}
