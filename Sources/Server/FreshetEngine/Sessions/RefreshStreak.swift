// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A session's ordinary refreshes from one place, one after the other, as its row tells of them.
///
/// A session that is refreshed ten thousand times leaves a few rows in the audit trail, not ten thousand: a run goes there when
/// another one takes its place, and until then a refresh costs no second write.
package struct RefreshStreak: Equatable, Sendable {
    /// No run is longer: of a session's past remains on which days it was used, and from where.
    package static let longest = Duration.seconds(86_400)

    /// So much earlier than the last refresh is no other run.
    ///
    /// Servers' clocks differ by seconds, and what waited longer is judged later. A clock that was set back further begins one.
    package static let leeway = Duration.seconds(60)

    /// When it began.
    package var since: Timestamp
    /// When its last refresh was.
    package var at: Timestamp
    package var times = 1
    /// Of the token that was presented last.
    package var generation: UInt64
    /// Where all of them came from.
    package var source: SourceAddress?

    package init(since: Timestamp, at: Timestamp, times: Int = 1, generation: UInt64, source: SourceAddress?) {
        self.since = since
        self.at = at
        self.times = times
        self.generation = generation
        self.source = source
    }

    /// Whether a refresh from there, at that moment, belongs to it.
    package func includes(from source: SourceAddress?, at now: Timestamp) -> Bool {
        source == self.source && at - now < Self.leeway && now - since < Self.longest
    }
}
