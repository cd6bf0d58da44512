// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The clocks that a server's time is made of.
package struct ClockSource: Sendable {
    /// The machine's wall clock.
    package var wall: @Sendable () -> Timestamp
    /// A clock that no operator and no NTP daemon sets.
    ///
    /// It must go on while the system is suspended, or a virtual machine that was suspended for three days would have a
    /// wall clock that jumped. `ContinuousClock` is that clock: CLOCK_BOOTTIME on Linux, not CLOCK_MONOTONIC.
    package var monotonic: @Sendable () -> Duration
    /// Whether the clock of the database's server is asked as well.
    package var queriesDatabase: Bool

    package init(
        wall: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration,
        queriesDatabase: Bool = false
    ) {
        self.wall = wall
        self.monotonic = monotonic
        self.queriesDatabase = queriesDatabase
    }

    /// Two clocks that never disagree, for tests.
    package init(_ wall: @escaping @Sendable () -> Timestamp) {
        self.init(wall: wall, monotonic: { .milliseconds(wall().milliseconds) })
    }

    private static let start = ContinuousClock.now

    /// The machine's clocks.
    package static let system = ClockSource(
        wall: Timestamp.system,
        monotonic: { ContinuousClock.now - start },
        queriesDatabase: true
    )
}
