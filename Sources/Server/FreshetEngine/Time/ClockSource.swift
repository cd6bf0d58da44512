// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The clocks from which a server's time is derived.
package struct ClockSource: Sendable {
    /// The machine's wall clock.
    package var wall: @Sendable () -> Timestamp
    /// A monotonic clock, which neither operators nor NTP daemons set.
    ///
    /// It must run while the system is suspended: otherwise the wall clock of a virtual machine would appear to jump
    /// after a suspension. `ContinuousClock` is that clock: CLOCK_BOOTTIME on Linux, not CLOCK_MONOTONIC.
    package var monotonic: @Sendable () -> Duration
    /// Whether the clock of the database's server is queried as well.
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

    /// Creates two clocks that always agree, for tests.
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
