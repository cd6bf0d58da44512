// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension TestClock {
    struct Sleeper {
        var asked: Swift.Duration
        var deadline: Instant
        var purpose: SleepPurpose
        /// Whether ``TestClock/timerEnded()`` is called when the work after the sleep is done.
        var isTimer: Bool
        /// Whether a test has already received this sleep by waiting for it.
        var isReported = false
        var continuation: CheckedContinuation<Void, any Error>
        /// The task that reports the sleep if it takes long in real time.
        var report: Task<Void, Never>?
    }

    /// A test that waits for a sleep.
    struct Watcher {
        var isMeant: @Sendable (Swift.Duration) -> Bool
        var continuation: CheckedContinuation<Swift.Duration?, Never>
    }

    struct LinkedSession {
        weak var session: AuthSession?
    }

    struct LinkedSource {
        weak var source: (any OpenRequestSource)?
    }

    struct State {
        var now = Instant()
        var wallOffset = 0.0
        /// The identifier of the current boot, and its time.
        var boot = UUID().uuidString
        var bootedAt = Instant()
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Int: Watcher] = [:]
        /// Timers that are about to sleep, or were resumed and have not finished their work.
        var runningTimers = 0
        /// The number of operations whose pauses are skipped.
        var pauseSkippers = 0
        var sessions: [LinkedSession] = []
        var sources: [LinkedSource] = []
        /// A counter of changes, for ``TestClock/run(for:)``.
        var version = 0
        var changeWaiters: [CheckedContinuation<Void, Never>] = []
        /// The version of the last report.
        var reported = -1

        /// The sleepers by deadline, then by the time at which they started to sleep.
        var order: [(key: Int, value: Sleeper)] {
            sleepers.sorted { ($0.value.deadline.offset, $0.key) < ($1.value.deadline.offset, $1.key) }
        }

        /// Returns the first sleeper whose deadline is `target` or earlier.
        func next(by target: Instant) -> (id: Int, deadline: Instant)? {
            let due = sleepers.lazy.filter { $0.value.deadline <= target }
            let first = due.min { ($0.value.deadline.offset, $0.key) < ($1.value.deadline.offset, $1.key) }
            return first.map { ($0.key, $0.value.deadline) }
        }
    }
}
