// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The threads of this process that wait for locks, which they try to acquire again and again.
///
/// A thread that has just arrived, or has just released the lock, may acquire it before those that sleep between two
/// attempts, because waking one of them each time would take longer than most owners keep the lock. Once the first has
/// waited for long, the others leave the lock to it, so that none times out because others write.
final class LockQueue: Sendable {
    private struct Waiting {
        var tickets: [Int] = []
        /// Whether the first thread has waited for long.
        var isReserved = false
        var acquisitions = 0
    }

    private struct State {
        var lastTicket = 0
        var locks: [String: Waiting] = [:]
    }

    private let state = Locked(State())

    /// Puts a thread at the end of the queue for a lock.
    ///
    /// - Returns: Its ticket, with which it is removed.
    func join(_ lock: String) -> Int {
        state.withLock { state in
            state.lastTicket += 1
            state.locks[lock, default: Waiting()].tickets.append(state.lastTicket)
            return state.lastTicket
        }
    }

    /// Determines whether it is a thread's turn to try to acquire the lock.
    ///
    /// - Parameters:
    ///   - ticket: The thread's ticket.
    ///   - lock: The lock.
    ///   - hasWaited: Whether the thread has waited for long.
    /// - Returns: Whether it may try, and how often other threads of the queue have acquired the lock.
    func turn(of ticket: Int, for lock: String, hasWaited: Bool) -> (mayTry: Bool, acquisitions: Int) {
        state.withLock { state in
            guard var waiting = state.locks[lock] else { return (true, 0) }
            let isFirst = waiting.tickets.first == ticket
            if isFirst, hasWaited {
                waiting.isReserved = true
                state.locks[lock] = waiting
            }
            return (isFirst || !waiting.isReserved, waiting.acquisitions)
        }
    }

    /// Removes the thread with this ticket, which has acquired the lock or waits no longer.
    func remove(_ ticket: Int, _ lock: String, hasAcquired: Bool) {
        state.withLock { state in
            guard var waiting = state.locks[lock] else { return }
            if waiting.tickets.first == ticket { waiting.isReserved = false }
            waiting.tickets.removeAll { $0 == ticket }
            if hasAcquired { waiting.acquisitions += 1 }
            state.locks[lock] = waiting.tickets.isEmpty ? nil : waiting
        }
    }

    /// The number of threads that wait for a lock.
    func count(for lock: String) -> Int {
        state.withLock { $0.locks[lock]?.tickets.count ?? 0 }
    }
}
