// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The order in which the threads of this process try to acquire a lock that polls.
///
/// Without an order, a thread that has just arrived, or has just released the lock, acquires it before threads that
/// sleep between two attempts, so that one of these may wait until its time is over.
final class LockQueue: Sendable {
    private struct Waiting {
        var tickets: [Int] = []
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

    /// Whether it is the turn of the thread with this ticket, and how often others of the queue have acquired the lock.
    func turn(of ticket: Int, for lock: String) -> (isFirst: Bool, acquisitions: Int) {
        state.withLock { state in
            let waiting = state.locks[lock] ?? Waiting()
            return (waiting.tickets.first == ticket, waiting.acquisitions)
        }
    }

    /// Removes the thread with this ticket, which has acquired the lock or waits no longer.
    func remove(_ ticket: Int, _ lock: String, hasAcquired: Bool) {
        state.withLock { state in
            guard var waiting = state.locks[lock] else { return }
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
