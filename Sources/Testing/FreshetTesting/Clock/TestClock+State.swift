// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension TestClock {
    struct Sleeper {
        var asked: Swift.Duration
        var deadline: Instant
        var purpose: SleepPurpose
        /// Whether the clock is told when what follows the sleep has been done.
        var isTimer: Bool
        /// Whether a test was told of this sleep.
        var isReported = false
        var continuation: CheckedContinuation<Void, any Error>
        /// Reports the sleep if it takes long in real time.
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
        /// Which start of the system it is, and when that was.
        var boot = UUID().uuidString
        var bootedAt = Instant()
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Int: Watcher] = [:]
        /// Timers that are about to sleep, or were woken and whose work is not done.
        var runningTimers = 0
        /// How many operations want pauses skipped.
        var pauseSkippers = 0
        var sessions: [LinkedSession] = []
        var sources: [LinkedSource] = []
        /// Counts what changed, for ``TestClock/run(for:)``.
        var version = 0
        var changeWaiters: [CheckedContinuation<Void, Never>] = []
        /// The version that was reported last.
        var reported = -1

        /// The sleepers by deadline, then in the order in which they went to sleep.
        var order: [(key: Int, value: Sleeper)] {
            sleepers.sorted { ($0.value.deadline.offset, $0.key) < ($1.value.deadline.offset, $1.key) }
        }

        /// The first sleeper that is due by a time.
        func next(by target: Instant) -> (id: Int, deadline: Instant)? {
            let due = sleepers.lazy.filter { $0.value.deadline <= target }
            let first = due.min { ($0.value.deadline.offset, $0.key) < ($1.value.deadline.offset, $1.key) }
            return first.map { ($0.key, $0.value.deadline) }
        }
    }
}
