// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A run of a session's ordinary refreshes from one place, recorded in its row.
///
/// A session that is refreshed ten thousand times leaves a few rows in the audit trail, not ten thousand: a run is
/// written there when the next one begins, and until then a refresh costs no second write.
package struct RefreshStreak: Equatable, Sendable {
    /// The longest duration of a run, so that the trail records the days and places of use.
    package static let longest = Duration.seconds(86_400)

    /// A refresh that is earlier than the last one by less than this belongs to the same run.
    ///
    /// Servers' clocks differ by seconds, and requests may be evaluated out of order. A clock that was set back
    /// further begins a new run.
    package static let leeway = Duration.seconds(60)

    /// The time of its start.
    package var since: Timestamp
    /// The time of its last refresh.
    package var at: Timestamp
    package var times = 1
    /// The generation of the last presented token.
    package var generation: UInt64
    /// The source of all its refreshes.
    package var source: SourceAddress?

    package init(since: Timestamp, at: Timestamp, times: Int = 1, generation: UInt64, source: SourceAddress?) {
        self.since = since
        self.at = at
        self.times = times
        self.generation = generation
        self.source = source
    }

    /// Whether a refresh with this source and time belongs to it.
    package func includes(from source: SourceAddress?, at now: Timestamp) -> Bool {
        source == self.source && at - now < Self.leeway && now - since < Self.longest
    }
}
