// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

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

extension RotationOutcome {
    /// Whether it serves a refresh like any other.
    package var isOrdinary: Bool {
        switch self {
        case .served(_, .rolledForward), .superseded, .ended, .recorded, .refused: false
        case .served: true
        }
    }
}

extension RotationDecision {
    /// The decision, with a row that tells of the refresh it was made for.
    ///
    /// A repeated answer that changes nothing else is not counted if it goes where the one before went; to another place, it is
    /// what somebody will look for. A refresh that is out of the ordinary ends the run, as it is told by itself.
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
