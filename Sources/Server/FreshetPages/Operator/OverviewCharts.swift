// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetMetrics
import FreshetWire

/// The charts of the overview, from the metrics of a time range.
struct OverviewCharts {
    let report: MetricsReport
    let census: ClientVersionCounts

    /// The maximum number of bars; the remaining values are combined in one additional bar.
    static let bars = 8

    private func chart(
        _ id: String,
        _ title: String,
        _ description: String,
        _ form: TimeChart.Form,
        _ unit: ChartUnit,
        _ layers: [TimeChart.Layer]
    ) -> String {
        TimeChart(
            id: id,
            title: title,
            description: description,
            form: form,
            unit: unit,
            start: report.start,
            step: report.step,
            layers: layers
        ).html
    }

    private func layer(_ name: String, _ style: Int, _ values: [Int?]) -> TimeChart.Layer {
        TimeChart.Layer(name: name, style: style, values: values.map { $0.map(Double.init) })
    }

    var rate: String {
        let layer = TimeChart.Layer(name: "refreshes a minute", style: 0, values: report.rates(.refreshes))
        let text = "Presented refresh tokens per minute."
        return chart("rate", "Refresh rate", text, .lines, .perMinute, [layer])
    }

    var outcomes: String {
        let layers = RefreshOutcomeCategory.allCases.map { kind in
            layer(kind.name, kind.rawValue, report.values(.refreshes) { RefreshOutcomeCategory(outcome: $0) == kind })
        }
        return chart("outcomes", "Outcomes", "Presented refresh tokens, by outcome.", .stack, .count, layers)
    }

    var latency: String {
        let histograms = report.histograms(.refreshSeconds, bounds: ServerMetrics.bounds)
        let layers = [("half within (p50)", 0.5, 0), ("95 % within (p95)", 0.95, 2), ("99 % within (p99)", 0.99, 4)]
            .map { name, share, style in
                TimeChart.Layer(name: name, style: style, values: histograms.map { $0.percentile(share) })
            }
        let text = "The time from receiving a refresh token to the decision, including the wait for the database."
        return chart("latency", "Refresh time", text, .lines, .seconds, layers)
    }

    var signOuts: String {
        func values(_ isWanted: @escaping (EndReason) -> Bool) -> [Int?] {
            report.values(.signOuts) { isWanted(EndReason(stored: $0)) }
        }
        let layers = [
            layer("by the user", 0, values { !$0.isForced }), layer("theft", 4, values(\.isTheft)),
            layer("forced otherwise", 2, values { $0.isForced && !$0.isTheft }),
        ]
        let text = "Ended sessions. Excludes sessions that expired."
        return chart("sign-outs", "Sign-outs over time", text, .stack, .count, layers)
    }

    var signIns: String {
        let layers = [
            layer("signed in", 0, report.values(.signIns)), layer("refused", 4, report.values(.refusedSignIns)),
        ]
        return chart(
            "sign-ins",
            "Sign-ins over time",
            "Successful sign-ins, and refused attempts.",
            .stack,
            .count,
            layers
        )
    }

    // MARK: - Shares

    var causes: String {
        let totals = report.totals(.signOuts)
        let bars = EndReason.allCases.filter(\.isTheft).map { reason in
            ShareChart.Bar(name: reason.details.summary, count: totals[reason.rawValue] ?? 0, style: 4)
        }
        return ShareChart(
            id: "causes",
            title: "Reuse and forks by cause",
            description: "Sessions that were ended because their tokens were used by a second holder.",
            bars: Self.sorted(bars)
        ).html
    }

    var forced: String {
        let totals = report.totals(.signOuts)
        let seen = report.totals(.refreshes)
        let bars = EndReason.allCases.filter(\.isForced).map { reason in
            // An expiry is not stored; it is counted when the expired token is presented.
            let count = (reason.details.cause == .expiry ? seen : totals)[reason.rawValue] ?? 0
            return ShareChart.Bar(name: reason.details.summary, count: count, style: reason.isTheft ? 4 : 2)
        }
        return ShareChart(
            id: "forced",
            title: "Sign-outs that users did not request",
            description: "By reason. Expired sessions count when their app notices it; the number above excludes them.",
            bars: Self.sorted(bars)
        ).html
    }

    var platforms: String {
        ShareChart(
            id: "platforms",
            title: "Live sessions by platform",
            description: "As the apps reported at sign-in.",
            bars: census.platforms(Self.bars).map { .init(name: OperatorText.platform($0.name), count: $0.count) },
            nothing: "No session is live, or the sessions were not counted yet."
        ).html
    }

    var versions: String {
        ShareChart(
            id: "versions",
            title: "Live sessions by app version",
            description: "App and version, as reported at sign-in.",
            bars: census.versions(Self.bars).map { .init(name: $0.name, count: $0.count, style: 1) },
            nothing: "No session is live, or the sessions were not counted yet."
        ).html
    }

    private static func sorted(_ bars: [ShareChart.Bar]) -> [ShareChart.Bar] {
        bars.filter { $0.count > 0 }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }
}
