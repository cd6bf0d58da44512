// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A run of a session's ordinary refreshes from one place, recorded in its row.
///
/// The audit trail gets one row per run instead of one per refresh. A run is written there when the next one begins, so
/// an ordinary refresh needs no second write.
package struct RefreshStreak: Equatable, Sendable {
    /// The maximum duration of a run, so that the trail records the days and places of use.
    package static let longest = Duration.seconds(86_400)

    /// The maximum time by which a refresh of a run may be earlier than the last one.
    ///
    /// Servers' clocks differ by seconds, and requests may be evaluated out of order. A clock that was set back further
    /// starts a new run.
    package static let leeway = Duration.seconds(60)

    /// The start of the run.
    package var since: Timestamp
    /// The time of the run's last refresh.
    package var at: Timestamp
    package var times = 1
    /// The generation of the last presented token.
    package var generation: UInt64
    /// The source address of all refreshes of the run.
    package var source: SourceAddress?

    package init(since: Timestamp, at: Timestamp, times: Int = 1, generation: UInt64, source: SourceAddress?) {
        self.since = since
        self.at = at
        self.times = times
        self.generation = generation
        self.source = source
    }

    /// Whether a refresh with this source and time belongs to the run.
    package func includes(from source: SourceAddress?, at now: Timestamp) -> Bool {
        source == self.source && at - now < Self.leeway && now - since < Self.longest
    }
}
