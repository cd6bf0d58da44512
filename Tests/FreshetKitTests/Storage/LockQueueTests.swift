// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Lock queue` {
    @Test func `the thread that came first is first, and leaves in any order`() {
        let queue = LockQueue()
        let tickets = (0..<3).map { _ in queue.join("a") }
        #expect(tickets.map { queue.turn(of: $0, for: "a").isFirst } == [true, false, false])
        queue.remove(tickets[1], "a", hasAcquired: false)
        queue.remove(tickets[0], "a", hasAcquired: true)
        #expect(queue.turn(of: tickets[2], for: "a").isFirst)
        #expect(queue.count(for: "a") == 1)
    }

    @Test func `those that wait see that another acquired the lock, not that it gave up`() {
        let queue = LockQueue()
        let tickets = (0..<3).map { _ in queue.join("a") }
        queue.remove(tickets[0], "a", hasAcquired: false)
        #expect(queue.turn(of: tickets[2], for: "a").acquisitions == 0)
        queue.remove(tickets[1], "a", hasAcquired: true)
        #expect(queue.turn(of: tickets[2], for: "a").acquisitions == 1)
    }

    @Test func `each lock has a queue of its own`() {
        let queue = LockQueue()
        let one = queue.join("a"), other = queue.join("b")
        #expect(queue.turn(of: one, for: "a").isFirst && queue.turn(of: other, for: "b").isFirst)
        queue.remove(one, "a", hasAcquired: true)
        #expect(queue.turn(of: other, for: "b") == (true, 0))
    }
}
