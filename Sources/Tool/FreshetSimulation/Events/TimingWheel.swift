// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A timing wheel with at most one event per device.
///
/// A slot per second holds a linked list of devices in an array: an event takes eight bytes, and insertion takes
/// constant time. A heap orders the events within the current second.
struct TimingWheel {
    private static let none: Int32 = -1

    /// The first device in each slot.
    private var heads: [Int32]
    /// The next device in the same slot, and the time of each device's event.
    private var links: [Int32]
    private var times: [Int32]
    private var second = -1
    /// The events of the current second as a min-heap; time in the upper half, device in the lower.
    private var heap: [UInt64] = []

    /// Creates a wheel without events.
    ///
    /// - Parameters:
    ///   - devices: The number of devices.
    ///   - span: The length of the run in milliseconds; later events are dropped.
    init(devices: Int, span: Int) {
        heads = Array(repeating: Self.none, count: (span + 999) / 1000)
        links = Array(repeating: Self.none, count: devices)
        times = Array(repeating: 0, count: devices)
    }

    /// Inserts the event of a device that has none.
    mutating func set(_ device: Int, at time: Int) {
        let place = time / 1000
        guard place < heads.count else { return }
        if place <= second { return push(UInt64(time) << 32 | UInt64(device)) }
        times[device] = Int32(time)
        links[device] = heads[place]
        heads[place] = Int32(device)
    }

    /// Removes and returns the earliest event; of simultaneous events, that of the lowest device number.
    mutating func next() -> (device: Int, time: Int)? {
        while heap.isEmpty {
            second += 1
            guard second < heads.count else { return nil }
            var device = heads[second]
            while device != Self.none {
                push(UInt64(times[Int(device)]) << 32 | UInt64(device))
                device = links[Int(device)]
            }
        }
        let first = pop()
        return (Int(first & 0xFFFF_FFFF), Int(first >> 32))
    }

    private mutating func push(_ event: UInt64) {
        var place = heap.count
        heap.append(event)
        while place > 0 {
            let parent = (place - 1) / 2
            guard event < heap[parent] else { break }
            heap[place] = heap[parent]
            place = parent
        }
        heap[place] = event
    }

    /// Removes and returns the minimum of a heap that is not empty.
    private mutating func pop() -> UInt64 {
        let first = heap[0]
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < last else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = last
        return first
    }
}
