// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

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
    /// A repeated response that changes nothing else is counted only if its source differs. An unusual refresh ends the
    /// run, because it is recorded as a separate event.
    ///
    /// - Parameters:
    ///   - row: The row that the decision was made from.
    ///   - generation: The generation of the presented token.
    ///   - source: The source address of the request.
    ///   - now: The current time.
    /// - Returns: The decision with the same outcome.
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
