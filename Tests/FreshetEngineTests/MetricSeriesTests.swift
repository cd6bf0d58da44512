// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `Figures over time` {
    private let now = Timestamp(minute: 1_000_000)

    @Test(arguments: [
        (0.5, 0.015), (0.25, 0.01), (0.0, 0.0), (1.0, 0.1), (0.95, 0.084), (-1, 0.0), (7, 0.1),
    ])
    func `a percentile is interpolated linearly within its bucket`(share: Double, seconds: Double) throws {
        var histogram = LatencyHistogram(bounds: [0.01, 0.02, 0.1])
        histogram.add(25, to: "0.01")
        histogram.add(50, to: "0.02")
        histogram.add(25, to: "0.1")
        let found = try #require(histogram.percentile(share))
        #expect(abs(found - seconds) < 1e-9)
    }

    @Test func `a percentile of nothing is nothing, and one beyond the buckets is their end`() {
        var histogram = LatencyHistogram(bounds: [0.01, 0.02])
        #expect(histogram.percentile(0.5) == nil)
        histogram.add(1, to: "0.5")
        #expect(histogram.count == 0)
        histogram.add(3, to: LatencyHistogram.label(2, of: histogram.bounds))
        #expect(histogram.percentile(0.5) == 0.02)
    }

    @Test(arguments: TimeRange.allCases)
    func `a span has whole parts, and its last one has the present`(span: TimeRange) {
        for offset in [Int64(0), 1, 59, 359, 1439] {
            let now = Timestamp(minute: self.now.minute + offset)
            let start = span.start(at: now)
            #expect(start % span.step == 0)
            let end = start + Int64(span.count) * span.step
            #expect(end > now.minute && end - span.step <= now.minute)
            // Series that are stored by the hour are queried by the hour.
            #expect(span.step % 60 == 0 || now.minute - start < TimeRange.minuteResolutionRetention)
        }
    }

    @Test func `a report sums up by part, knows where nobody counted, and leaves the open minute out of rates`() {
        let start = TimeRange.hour.start(at: now)
        let sums = [
            MetricsReport.Sum(minute: start, figure: MetricSeries(.uptimeMinutes), value: 1),
            MetricsReport.Sum(minute: start, figure: MetricSeries(.refreshes, "bound"), value: 5),
            MetricsReport.Sum(minute: start, figure: MetricSeries(.refreshes, "fork"), value: 1),
            MetricsReport.Sum(minute: start + 2, figure: MetricSeries(.uptimeMinutes), value: 1),
            MetricsReport.Sum(minute: start - 1, figure: MetricSeries(.refreshes, "bound"), value: 100),
            MetricsReport.Sum(minute: start + 60, figure: MetricSeries(.refreshes, "bound"), value: 100),
        ]
        let open = [MetricSeries(.refreshes, "bound"): 7, MetricSeries(.uptimeMinutes): 1]
        let report = MetricsReport(.hour, at: now, sums: sums, unwritten: open)
        #expect(report.values(.refreshes).prefix(3) == [6, nil, 0])
        #expect(report.values(.refreshes).last == 7)
        #expect(report.rates(.refreshes).prefix(3) == [6, nil, 0])
        #expect(report.rates(.refreshes).last == .some(nil))
        #expect(report.total(.refreshes) == 13)
        #expect(report.total(.refreshes) { $0 == "fork" } == 1)
        #expect(report.totals(.refreshes) == ["bound": 12, "fork": 1])
    }

    @Test func `a minute that several servers ran in is one minute`() {
        let start = TimeRange.week.start(at: now)
        let up = MetricsReport.Sum(minute: start, figure: MetricSeries(.uptimeMinutes), value: 90)
        let refreshes = MetricsReport.Sum(minute: start, figure: MetricSeries(.refreshes, "bound"), value: 120)
        #expect(MetricsReport(.week, at: now, sums: [up, refreshes]).rates(.refreshes).first == 2)
    }

    @Test func `a census names the most frequent, and no more than fit`() {
        var census = ClientVersionCounts()
        for number in 0..<(2 * ClientVersionCounts.limit) {
            census.count(platform: "ios", app: "App", version: "\(number)")
        }
        for _ in 0..<3 { census.count(platform: "unknown", app: nil, version: nil) }
        census.count(platform: "ios", app: String(repeating: "x", count: 1000), version: "1")
        #expect(census.sessions == 2 * ClientVersionCounts.limit + 4)
        #expect(
            census.platforms(1) == [
                .init("ios", 2 * ClientVersionCounts.limit + 1), .init(ClientVersionCounts.others, 3),
            ]
        )
        let versions = census.versions(5)
        #expect(versions.count == 6 && versions.last?.name == ClientVersionCounts.others)
        #expect(versions.map(\.count).reduce(0, +) == census.sessions)
        var small = ClientVersionCounts()
        small.count(platform: "web", app: "", version: nil)
        #expect(small.versions(3) == [.init(ClientVersionCounts.notReported, 1)])
    }

    @Test func `an operator's reason comes back from the audit trail, and free text does not`() {
        for reason in OperatorReason.allCases {
            #expect(OperatorReason(outcome: OperatorReason.outcome(reason)) == reason)
        }
        #expect(OperatorReason(outcome: OperatorReason.outcome(nil)) == nil)
        #expect(OperatorReason(outcome: "operator: <b>") == nil && OperatorReason(outcome: nil) == nil)
    }
}
