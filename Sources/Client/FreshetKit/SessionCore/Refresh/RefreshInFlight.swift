// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A refresh under way, and who waits for it.
struct RefreshInFlight<Waiter> {
    struct Waiting {
        var waiter: Waiter
        /// When this caller's patience ends.
        var deadline: Duration
    }

    let id: Int
    var cause: TimedAccessToken.Cause
    var waiters: [Int: Waiting] = [:]
    /// Whether an attempt was answered as if the session were over, by a status alone.
    var hasUnverifiedEnd = false
    /// The pause between two attempts that it is in.
    var pause: Pause?

    enum Pause: Equatable {
        /// After a failure; what speaks for a better moment shortens it.
        case backoff(until: Duration)
        /// Before a doubtful end is asked about again.
        case verification(until: Duration)

        var end: Duration {
            switch self {
            case .backoff(let end), .verification(let end): end
            }
        }
    }

    var isPausing: Bool { pause != nil }

    var allWaiters: [Waiter] { waiters.sorted { $0.key < $1.key }.map(\.value.waiter) }

    /// Takes out everybody whose patience ends before `moment`.
    mutating func dismiss(before moment: Duration) -> [Waiter] {
        let dismissed = waiters.filter { $0.value.deadline < moment }
        for id in dismissed.keys { waiters[id] = nil }
        return dismissed.sorted { $0.key < $1.key }.map(\.value.waiter)
    }
}
