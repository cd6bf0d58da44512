// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

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

extension RotationOutcome {
    /// Whether the outcome is that of an ordinary refresh.
    package var isOrdinary: Bool {
        switch self {
        case .served(_, .rolledForward), .superseded, .ended, .recorded, .refused: false
        case .served: true
        }
    }
}

extension RotationDecision {
    /// Returns the decision with the refresh recorded in its row.
    ///
    /// A repeated answer that changes nothing else is counted only if it goes to another place. An unusual refresh
    /// ends the run, because it gets its own event.
    ///
    /// - Parameters:
    ///   - row: The row that the decision was made from.
    ///   - generation: The presented token's.
    ///   - source: Where it came from.
    ///   - now: When.
    /// - Returns: the same answer.
    package func recording(
        _ row: SessionRow,
        generation: UInt64,
        from source: SourceAddress?,
        at now: Timestamp
    ) -> RotationDecision {
        var decision = self
        guard answer.isOrdinary else {
            if case .served = answer {
                decision.row?.run = nil
                decision.endedStreak = row.run
            }
            return decision
        }
        if var run = row.run, run.includes(from: source, at: now) {
            run.at = max(run.at, now)
            if run.times < .max { run.times += 1 }
            run.generation = generation
            decision.row?.run = run
            return decision
        }
        decision.row = self.row ?? row
        decision.row?.run = RefreshStreak(since: now, at: now, generation: generation, source: source)
        decision.endedStreak = row.run
        return decision
    }
}

extension AuditEvent {
    /// Creates the audit record of a session's completed run of refreshes.
    package init(_ run: RefreshStreak, of row: SessionRow) {
        self.init(at: run.at, kind: .refresh)
        user = row.user
        session = row.id
        generation = run.generation
        source = run.source?.description
        client = row.device.client
        times = run.times
        since = run.times > 1 ? run.since : nil
    }
}

extension Device {
    /// App, version and platform in one short text.
    package var client: String? {
        let parts = [app, appVersion, platform].compactMap(\.self).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : String(parts.joined(separator: " ").prefix(100))
    }
}
