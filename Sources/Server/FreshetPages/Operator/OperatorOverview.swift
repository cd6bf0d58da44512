// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetMetrics
import FreshetWire
import Hummingbird

/// The start page, with the metrics of the server and its users.
struct OperatorOverview: Sendable {
    let parts: OperatorPagesParts
    let authentication: OperatorAuthentication

    /// The content of `operator-overview.mustache`.
    private struct Content: Sendable {
        var spans: [Span]
        var warnings: [String]
        var tiles: [Tile]
        var rateSVG: String
        var outcomesSVG: String
        var latencySVG: String
        var times: [Times]
        var causesSVG: String
        var forcedSVG: String
        var signOutsSVG: String
        var signInsSVG: String
        var platformsSVG: String
        var versionsSVG: String
        var counted: String
        var keys: [OperatorHealth.Key]
        var store: [OperatorHealth.Fact]
    }

    private struct Span: Sendable {
        var path: String
        var name: String
        var isCurrent: Bool
    }

    private struct Tile: Sendable {
        var name: String
        var value: String
        var note: String
    }

    /// The latency percentiles of one operation.
    private struct Times: Sendable {
        var what: String
        var count: String
        var half: String
        var most: String
        var nearlyAll: String
    }

    func add(to table: inout RouteTable) {
        authentication.get(OperatorAuthentication.home, in: &table) { visit in
            let span = visit.request.uri.queryParameters["span"].flatMap { TimeRange(rawValue: String($0)) } ?? .day
            return try visit.show(
                Page("operator-overview", title: "Overview", try await content(span), account: "Operator")
            )
        }
    }

    private func content(_ span: TimeRange) async throws -> Content {
        let now = parts.clock()
        let report = try await parts.metricsRecorder.report(span)
        let house = parts.cleanup.status
        let charts = OverviewCharts(report: report, census: house.clients)
        let health = OperatorHealth(parts: parts, now: now)
        return Content(
            spans: TimeRange.allCases.map { other in
                Span(
                    path: "\(OperatorAuthentication.home)?span=\(other.rawValue)",
                    name: other.rawValue.prefix(1).uppercased() + other.rawValue.dropFirst(),
                    isCurrent: other == span
                )
            },
            warnings: health.warnings,
            tiles: tiles(report, house, now),
            rateSVG: charts.rate,
            outcomesSVG: charts.outcomes,
            latencySVG: charts.latency,
            times: [
                Self.times("Refresh", report.histogram(.refreshSeconds, bounds: ServerMetrics.bounds)),
                Self.times("Sign-in", report.histogram(.loginSeconds, bounds: ServerMetrics.bounds)),
                Self.times("Database commit", report.histogram(.commitSeconds, bounds: ServerMetrics.bounds)),
            ],
            causesSVG: charts.causes,
            forcedSVG: charts.forced,
            signOutsSVG: charts.signOuts,
            signInsSVG: charts.signIns,
            platformsSVG: charts.platforms,
            versionsSVG: charts.versions,
            counted: house.countedAt.map { "Counted \(OperatorText.relativeTime($0, from: now))." }
                ?? "Sessions are counted half a minute after the start, and every five minutes.",
            keys: try health.keys,
            store: try await health.store
        )
    }

    private func tiles(_ report: MetricsReport, _ house: CleanupService.Status, _ now: Timestamp) -> [Tile] {
        let refreshes = report.total(.refreshes)
        let good = report.total(.refreshes) { RefreshOutcomeCategory(outcome: $0).isSuccess }
        let minutes = (0..<report.count).reduce(0) { $0 + report.uptimeMinutes($1) }
        let ended = report.total(.signOuts)
        let forced = report.total(.signOuts) { EndReason(stored: $0).isForced }
        let thefts = report.total(.signOuts) { EndReason(stored: $0).isTheft }
        let latency = report.histogram(.refreshSeconds, bounds: ServerMetrics.bounds)
        let unit = ChartUnit.seconds
        func time(_ share: Double) -> String { latency.percentile(share).map(unit.text) ?? "-" }
        return [
            Tile(
                name: "Refreshes a minute",
                value: ChartUnit.perMinute.text(Double(refreshes) / Double(max(1, minutes))),
                note: "\(ChartText.count(refreshes)) in all"
            ),
            Tile(
                name: "Successful refreshes",
                value: refreshes == 0 ? "-" : ShareChart.share(good, of: refreshes),
                note: "of presented refresh tokens"
            ),
            Tile(
                name: "Reuse and forks",
                value: ChartText.count(thefts),
                note: refreshes == 0
                    ? "no refreshes"
                    : "\(ChartUnit.perMinute.text(1000 * Double(thefts) / Double(refreshes))) in 1,000 refreshes"
            ),
            Tile(
                name: "Forced sign-outs",
                value: ChartText.count(forced),
                note: "of \(OperatorText.plural(ended, "sign-out"))"
            ),
            Tile(name: "Refresh time, p95", value: time(0.95), note: "p50 \(time(0.5)), p99 \(time(0.99))"),
            Tile(
                name: "Live sessions",
                value: house.countedAt == nil ? "-" : ChartText.count(house.sessions["live"] ?? 0),
                note: house.countedAt.map { "counted \(OperatorText.relativeTime($0, from: now))" } ?? "not counted yet"
            ),
        ]
    }

    private static func times(_ what: String, _ histogram: LatencyHistogram) -> Times {
        func text(_ share: Double) -> String { histogram.percentile(share).map(ChartUnit.seconds.text) ?? "-" }
        return Times(
            what: what,
            count: ChartText.count(histogram.count),
            half: text(0.5),
            most: text(0.95),
            nearlyAll: text(0.99)
        )
    }
}
