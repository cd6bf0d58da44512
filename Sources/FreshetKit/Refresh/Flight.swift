// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A refresh under way, and who waits for it.
struct Flight<Waiter> {
    struct Waiting {
        var waiter: Waiter
        /// When this caller's patience ends.
        var deadline: Duration
    }

    let id: Int
    var cause: LiveToken.Cause
    var waiters: [Int: Waiting] = [:]
    /// Whether an attempt was answered as if the session were over, by a status alone.
    var isInDoubt = false
    /// Whether it waits between two attempts.
    var isPausing = false

    var allWaiters: [Waiter] { waiters.sorted { $0.key < $1.key }.map(\.value.waiter) }

    /// Takes out everybody whose patience ends before `moment`.
    mutating func dismiss(before moment: Duration) -> [Waiter] {
        let dismissed = waiters.filter { $0.value.deadline < moment }
        for id in dismissed.keys { waiters[id] = nil }
        return dismissed.sorted { $0.key < $1.key }.map(\.value.waiter)
    }
}
