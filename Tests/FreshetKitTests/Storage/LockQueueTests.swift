// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Lock queue` {
    private let queue = LockQueue()

    private func mayTry(_ ticket: Int, _ lock: String = "a", hasWaited: Bool = false) -> Bool {
        queue.turn(of: ticket, for: lock, hasWaited: hasWaited).mayTry
    }

    @Test func `every waiting thread may try a lock until the first in the queue has waited for long`() {
        let tickets = (0..<3).map { _ in queue.join("a") }
        #expect(tickets.map { mayTry($0) } == [true, true, true])
        #expect(tickets.reversed().map { mayTry($0, hasWaited: true) } == [true, true, true])
        #expect(tickets.map { mayTry($0) } == [true, false, false])
    }

    @Test func `the next thread of a lock queue becomes first, and may try alone once it has waited for long`() {
        let tickets = (0..<3).map { _ in queue.join("a") }
        #expect(mayTry(tickets[0], hasWaited: true))
        queue.remove(tickets[0], "a", hasAcquired: true)
        #expect(mayTry(tickets[2]))
        #expect(mayTry(tickets[1], hasWaited: true))
        #expect(!mayTry(tickets[2], hasWaited: true))
        queue.remove(tickets[1], "a", hasAcquired: false)
        #expect(mayTry(tickets[2]))
        #expect(queue.count(for: "a") == 1)
    }

    @Test func `a thread that gives up a lock wait does not end another thread's exclusive turn`() {
        let tickets = (0..<3).map { _ in queue.join("a") }
        #expect(mayTry(tickets[0], hasWaited: true))
        queue.remove(tickets[2], "a", hasAcquired: false)
        #expect(!mayTry(tickets[1]))
    }

    @Test func `a waiting thread sees that another thread acquired the lock, but not that one gave up`() {
        let tickets = (0..<3).map { _ in queue.join("a") }
        queue.remove(tickets[0], "a", hasAcquired: false)
        #expect(queue.turn(of: tickets[2], for: "a", hasWaited: false).acquisitions == 0)
        queue.remove(tickets[1], "a", hasAcquired: true)
        #expect(queue.turn(of: tickets[2], for: "a", hasWaited: false).acquisitions == 1)
    }

    @Test func `each lock has a queue of its own`() {
        let one = queue.join("a"), other = queue.join("b")
        #expect(mayTry(one, "a", hasWaited: true) && mayTry(other, "b"))
        queue.remove(one, "a", hasAcquired: true)
        #expect(queue.turn(of: other, for: "b", hasWaited: false) == (true, 0))
    }
}
