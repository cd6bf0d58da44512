// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetCommandLine

/// A comparison of the policies' results for a terminal.
package struct FleetTable: Sendable {
    private let report: FleetReport

    package init(_ report: FleetReport) { self.report = report }

    private static let heads = [
        "policy", "refreshes", "attempts", "mean/s", "peak/s", "peak/mean", "peak after", "drained", "503s", "wasted",
        "saw an error", "waited > 5 s", "signed out",
    ]

    /// The results, with a line per policy.
    package var figures: [String] { Self.aligned([Self.heads] + report.outcomes.map(Self.cells)) }

    /// The number of times shown.
    private static let times = 12

    /// The attempts per second around the incident, with a line per time and a column per policy.
    package var rates: [String] {
        let window = report.window
        let step = max(1, window.count / Self.times)
        let rows = stride(from: window.lowerBound, to: window.upperBound - step + 1, by: step).map { second in
            [FleetText.time(second)] + report.outcomes.map { FleetText.decimal($0.rate(second..<second + step)) }
        }
        return Self.aligned([["from"] + report.outcomes.map(\.policy)] + rows)
    }

    private static func aligned(_ rows: [[String]]) -> [String] {
        guard let header = rows.first else { return [] }
        return TextTable(header, Array(rows.dropFirst()), right: Set(header.indices.dropFirst())).lines()
    }

    private static func cells(_ outcome: FleetOutcome) -> [String] {
        [
            outcome.policy, FleetText.count(outcome.refreshes), FleetText.count(outcome.attempts),
            FleetText.decimal(outcome.mean), FleetText.count(outcome.peak), FleetText.decimal(outcome.peakToMean),
            FleetText.count(outcome.peakAfter), outcome.drain.map { "\($0) s" } ?? "never",
            FleetText.count(outcome.unavailable), FleetText.count(outcome.wasted),
            FleetText.count(outcome.usersWithErrors), FleetText.count(outcome.usersWhoWaited),
            FleetText.count(outcome.signedOut),
        ]
    }
}
