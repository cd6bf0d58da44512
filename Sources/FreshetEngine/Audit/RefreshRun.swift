// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A session's ordinary refreshes from one place, one after the other, as its row tells of them.
///
/// A session that is refreshed ten thousand times leaves a few rows in the audit trail, not ten thousand: a run goes there when
/// another one takes its place, and until then a refresh costs no second write.
package struct RefreshRun: Equatable, Sendable {
    /// No run is longer: of a session's past remains on which days it was used, and from where.
    package static let longest = Duration.seconds(86_400)

    /// When it began; its last refresh is the session's last use.
    package var since: Timestamp
    package var times = 1
    /// Of the token that was presented last.
    package var generation: UInt64
    /// Where all of them came from.
    package var source: SourceAddress?

    package init(since: Timestamp, times: Int = 1, generation: UInt64, source: SourceAddress?) {
        self.since = since
        self.times = times
        self.generation = generation
        self.source = source
    }

    /// Whether a refresh belongs to it.
    ///
    /// - Parameters:
    ///   - source: Where it comes from.
    ///   - now: When.
    ///   - lastUse: The run's last refresh.
    /// - Returns: `false` also if the clock was set back.
    package func includes(from source: SourceAddress?, at now: Timestamp, after lastUse: Timestamp) -> Bool {
        source == self.source && now >= lastUse && now - since < Self.longest
    }
}

extension RotationAnswer {
    /// Whether it serves a refresh like any other.
    package var isOrdinary: Bool {
        switch self {
        case .served(_, .rolledForward), .superseded, .ended, .noted, .refused: false
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
    ///   - row: What the decision was made from.
    ///   - generation: The presented token's.
    ///   - source: Where it came from.
    ///   - now: When.
    /// - Returns: the same answer.
    package func noting(
        _ row: SessionRow,
        generation: UInt64,
        from source: SourceAddress?,
        at now: Timestamp
    ) -> RotationDecision {
        guard answer.isOrdinary else {
            var decision = self
            if case .served = answer { decision.row?.run = nil }
            return decision
        }
        var new = self.row ?? row
        if var run = row.run, run.includes(from: source, at: now, after: row.lastUsedAt) {
            guard self.row != nil else { return self }
            run.times += 1
            run.generation = generation
            new.run = run
        } else {
            new.run = RefreshRun(since: now, generation: generation, source: source)
            new.lastUsedAt = now
        }
        return RotationDecision(answer, row: new)
    }
}

extension AuditEvent {
    /// What the audit trail keeps of the run that a session's row tells of; `nil` if it tells of none.
    package init?(runOf row: SessionRow) {
        guard let run = row.run else { return nil }
        self.init(at: row.lastUsedAt, kind: .refresh)
        user = row.user
        session = row.id
        generation = run.generation
        source = run.source?.description
        client = row.device.client
        times = run.times
        since = run.times > 1 ? run.since : nil
    }

    /// The run that is over with a change of its session; `nil` if it goes on.
    package init?(runOf old: SessionRow, endedBy new: SessionRow) {
        if let run = old.run, let next = new.run, run.since == next.since, run.source == next.source { return nil }
        self.init(runOf: old)
    }
}

extension Device {
    /// App, version and platform in one short text.
    package var client: String? {
        let words = [app, appVersion, platform].compactMap(\.self).filter { !$0.isEmpty }
        return words.isEmpty ? nil : String(words.joined(separator: " ").prefix(100))
    }
}
