// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A scenario with its times, in milliseconds since the start.
package struct Incident: Equatable, Sendable {
    package var scenario: Scenario
    /// Empty where nothing begins or ends.
    package var time: Range<Int>

    /// The incident of a scenario that begins after seven eighths of the span: in the evening of the last day.
    ///
    /// - Parameters:
    ///   - scenario: What happens.
    ///   - span: How long is looked at.
    ///   - length: How long it lasts; `nil` for as long as such a thing usually does.
    package init(_ scenario: Scenario, in span: Int, length: Int? = nil) {
        self.scenario = scenario
        guard let usual = scenario.usualLength else {
            time = 0..<0
            return
        }
        let start = span / 8 * 7
        time = start..<min(start + (length ?? usual), span)
    }

    private func holds(_ kind: Scenario, at moment: Int) -> Bool { scenario == kind && time.contains(moment) }

    /// Whether nobody answers a refresh.
    func isServerGone(at moment: Int) -> Bool { holds(.outage, at: moment) }

    /// Whether the token server answers 401.
    func isServerWrong(at moment: Int) -> Bool { holds(.lockout, at: moment) }

    /// When resource servers refuse good access tokens.
    var refusals: Range<Int>? { scenario == .badDeploy || scenario == .lockout ? time : nil }

    /// How much longer a refresh takes the server.
    func slowness(at moment: Int) -> Double { holds(.overload, at: moment) ? 5 : 1 }

    /// Who opens the app because of a push: the share, and within how long.
    var push: (share: Double, within: Int)? { scenario == .push ? (0.1, time.count) : nil }

    /// Whose clock is wrong: the share, and by how much at most.
    var skew: (share: Double, limit: Int)? { scenario == .skew ? (0.1, 12 * 3_600_000) : nil }

    /// What is worth showing of a span: some time before the incident, and twice that after it.
    package func window(in span: Int) -> Range<Int> {
        guard !time.isEmpty else { return 0..<span }
        let margin = max(1_800_000, time.count)
        return max(0, time.lowerBound - margin)..<min(span, time.upperBound + 2 * margin)
    }
}
