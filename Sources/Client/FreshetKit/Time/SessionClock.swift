// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// The times a session lives by.
///
/// Lifetimes are counted on a clock that runs during sleep and that nobody sets. How old a record from an earlier launch is,
/// the time since the system's start tells; only over a restart of the system the wall clock does, and dates for people.
package struct SessionClock: Sendable {
    /// Time since some moment that stays the same while the process lives.
    package var now: @Sendable () -> Duration
    /// Returns the device's wall-clock time.
    package var wall: @Sendable () -> Date
    /// Time since the system was started, if it tells.
    package var boot: @Sendable () -> BootTime?
    /// Returns when ``now`` has reached a time; throws if cancelled.
    package var sleep: @Sendable (_ until: Duration, _ purpose: SleepPurpose) async throws -> Void
    /// Starts a task that runs `body` at a time, unless it is cancelled before.
    package var timer:
        @Sendable (_ at: Duration, SleepPurpose, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never>
    /// Evenly spread between 0 and 1, for jitter.
    package var chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Duration,
        wall: @escaping @Sendable () -> Date,
        boot: @escaping @Sendable () -> BootTime? = { nil },
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.wall = wall
        self.boot = boot
        self.sleep = { until, _ in try await sleep(until) }
        self.chance = chance
        timer = { time, _, body in
            Task {
                guard (try? await sleep(time)) != nil else { return }
                await body()
            }
        }
    }

    /// Sleeps until ``now`` has reached a time.
    ///
    /// - Parameters:
    ///   - deadline: The time.
    ///   - purpose: The purpose of the sleep, by which a test's clock tells pauses from limits.
    /// - Throws: `CancellationError` if the task is cancelled before.
    package func sleep(until deadline: Duration, for purpose: SleepPurpose = .pause("of a session")) async throws {
        try await sleep(deadline, purpose)
    }

    /// The real ones.
    package static var system: SessionClock {
        let clock = ContinuousClock()
        let start = clock.now
        return SessionClock(
            now: { start.duration(to: clock.now) },
            wall: { Date() },
            boot: { .now },
            sleep: { try await clock.sleep(until: start.advanced(by: $0)) },
            chance: { Double.random(in: 0..<1) }
        )
    }
}
