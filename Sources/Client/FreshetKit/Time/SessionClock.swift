// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// The clocks and timers of a session.
///
/// Lifetimes are measured on a clock that runs during sleep and cannot be set. The age of a record from an earlier
/// launch is measured by the time since the system's start; the wall clock is used only across a restart of the
/// system, and for dates.
package struct SessionClock: Sendable {
    /// Returns the time since a fixed moment of this process.
    package var now: @Sendable () -> Duration
    /// Returns the device's wall-clock time.
    package var wall: @Sendable () -> Date
    /// Returns the time since the system was started, if it is available.
    package var boot: @Sendable () -> BootTime?
    /// Sleeps until ``now`` has reached a time; throws if cancelled.
    package var sleep: @Sendable (_ until: Duration, _ purpose: SleepPurpose) async throws -> Void
    /// Starts a task that runs `body` at a time, unless it is cancelled before.
    package var timer:
        @Sendable (_ at: Duration, SleepPurpose, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never>
    /// Returns a random number between 0 and 1, for jitter.
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
    ///   - purpose: The purpose of the sleep, by which a test's clock distinguishes pauses from limits.
    /// - Throws: `CancellationError` if the task is cancelled before.
    package func sleep(until deadline: Duration, for purpose: SleepPurpose = .pause("of a session")) async throws {
        try await sleep(deadline, purpose)
    }

    /// The system's clocks.
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
