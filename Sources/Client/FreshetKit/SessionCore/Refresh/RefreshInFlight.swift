// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A refresh in progress, and the callers that wait for it.
struct RefreshInFlight<Waiter> {
    struct Waiting {
        var waiter: Waiter
        /// The time at which this caller's timeout ends.
        var deadline: Duration
    }

    let id: Int
    var cause: TimedAccessToken.Cause
    var waiters: [Int: Waiting] = [:]
    /// Whether an attempt got a response whose status alone says that the session has ended.
    var hasUnverifiedEnd = false
    /// The pause between two attempts; `nil` outside a pause.
    var pause: Pause?

    enum Pause: Equatable {
        /// A pause after a failure. Events that make success more likely shorten it.
        case backoff(until: Duration)
        /// A pause before an unverified end of the session is verified.
        case verification(until: Duration)

        var end: Duration {
            switch self {
            case .backoff(let end), .verification(let end): end
            }
        }
    }

    var isPausing: Bool { pause != nil }

    var allWaiters: [Waiter] { waiters.sorted { $0.key < $1.key }.map(\.value.waiter) }

    /// Removes and returns all waiters.
    mutating func dismissAll() -> [Waiter] {
        defer { waiters = [:] }
        return allWaiters
    }

    /// Removes and returns the waiters whose timeout ends before `moment`.
    mutating func dismiss(before moment: Duration) -> [Waiter] {
        let dismissed = waiters.filter { $0.value.deadline < moment }
        for id in dismissed.keys { waiters[id] = nil }
        return dismissed.sorted { $0.key < $1.key }.map(\.value.waiter)
    }
}
