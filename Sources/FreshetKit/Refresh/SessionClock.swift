// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// The two times a session lives by.
///
/// Lifetimes are counted on a clock that runs during sleep and that nobody sets. The wall clock only tells how old a
/// record from an earlier launch is, and dates for people.
package struct SessionClock: Sendable {
    /// Time since some moment that stays the same while the process lives.
    package var now: @Sendable () -> Duration
    /// What the device believes the date to be.
    package var wall: @Sendable () -> Date
    /// Returns when ``now`` has reached a time; throws if cancelled.
    package var sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Evenly spread between 0 and 1, for jitter.
    package var chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Duration,
        wall: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.wall = wall
        self.sleep = sleep
        self.chance = chance
    }

    func sleep(until deadline: Duration) async throws { try await sleep(deadline) }

    /// The real ones.
    package static var system: SessionClock {
        let clock = ContinuousClock()
        let start = clock.now
        return SessionClock(
            now: { start.duration(to: clock.now) },
            wall: { Date() },
            sleep: { try await clock.sleep(until: start.advanced(by: $0)) },
            chance: { Double.random(in: 0..<1) }
        )
    }
}
