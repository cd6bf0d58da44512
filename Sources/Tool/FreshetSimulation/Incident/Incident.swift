// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A scenario with its period, in milliseconds since the start.
package struct Incident: Equatable, Sendable {
    package var scenario: Scenario
    /// The period; empty for a scenario without a beginning and an end.
    package var time: Range<Int>

    /// Creates an incident that starts after seven eighths of the run, in the evening of the last day.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - span: The length of the run.
    ///   - length: The length of the incident; `nil` for the scenario's usual length.
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

    /// Whether refreshes get no response.
    func isServerGone(at moment: Int) -> Bool { holds(.outage, at: moment) }

    /// Whether the token server answers 401.
    func isServerWrong(at moment: Int) -> Bool { holds(.lockout, at: moment) }

    /// The period in which resource servers refuse valid access tokens.
    var refusals: Range<Int>? { scenario == .badDeploy || scenario == .lockout ? time : nil }

    /// Returns the factor by which refreshes take longer than usual.
    func slowness(at moment: Int) -> Double { holds(.overload, at: moment) ? 5 : 1 }

    /// The share of users who follow a push notification, and their maximum delay.
    var push: (share: Double, within: Int)? { scenario == .push ? (0.1, time.count) : nil }

    /// The share of devices with a wrong clock, and the maximum error.
    var skew: (share: Double, limit: Int)? { scenario == .skew ? (0.1, 12 * 3_600_000) : nil }

    /// Returns the period to show: a margin before the incident, and twice that after it.
    package func window(in span: Int) -> Range<Int> {
        guard !time.isEmpty else { return 0..<span }
        let margin = max(1_800_000, time.count)
        return max(0, time.lowerBound - margin)..<min(span, time.upperBound + 2 * margin)
    }
}
