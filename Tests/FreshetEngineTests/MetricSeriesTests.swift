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

    @Test func `an empty histogram has no percentile, and the overflow bucket's is the last bound`() {
        var histogram = LatencyHistogram(bounds: [0.01, 0.02])
        #expect(histogram.percentile(0.5) == nil)
        histogram.add(1, to: "0.5")
        #expect(histogram.count == 0)
        histogram.add(3, to: LatencyHistogram.label(2, of: histogram.bounds))
        #expect(histogram.percentile(0.5) == 0.02)
    }

    /// The sum of the counts in their order is rounded to 2^53, which is less than their number.
    @Test func `the highest percentile of 2^53 durations and two longer ones is the last bound`() {
        var histogram = LatencyHistogram(bounds: [0.01, 0.02])
        for (index, count) in [1 << 53, 1, 1].enumerated() {
            histogram.add(count, to: LatencyHistogram.label(index, of: histogram.bounds))
        }
        #expect(histogram.percentile(1) == 0.02)
    }

    @Test(
        arguments: [
            ([1], 0, 0), ([1], 0.5, 0.005), ([1], 1, 0.01),
            // Empty buckets are skipped, before the first duration and between two.
            ([0, 1], 0, 0.01), ([0, 0, 4], 0, 0.02), ([0, 0, 4], 0.5, 0.06), ([1, 0, 1], 0.5, 0.01),
            ([1, 0, 1], 0.75, 0.06),
            ([1, 1], 1, 0.02),
        ] as [([Int], Double, Double)]
    )
    func `a percentile lies in the first bucket that reaches it, even if a bucket has one duration`(
        counts: [Int],
        share: Double,
        seconds: Double
    ) throws {
        var histogram = LatencyHistogram(bounds: [0.01, 0.02, 0.1])
        for (index, count) in counts.enumerated() {
            histogram.add(count, to: LatencyHistogram.label(index, of: histogram.bounds))
        }
        let found = try #require(histogram.percentile(share))
        #expect(abs(found - seconds) < 1e-9)
    }

    @Test(arguments: TimeRange.allCases)
    func `a time range consists of whole steps, and its last step contains the present`(span: TimeRange) {
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

    @Test func `a metrics report sums up labels, has no value without uptime, and no rate for the open minute`() {
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

    @Test func `a metrics report has the durations of one series, by interval and for the whole range`() {
        let start = TimeRange.hour.start(at: now)
        func sum(_ minute: Int64, _ name: MetricSeries.Name, _ label: String, _ value: Int) -> MetricsReport.Sum {
            MetricsReport.Sum(minute: start + minute, figure: MetricSeries(name, label), value: value)
        }
        let sums = [
            sum(0, .refreshSeconds, "0.01", 2), sum(0, .refreshSeconds, "more", 1), sum(0, .loginSeconds, "0.02", 4),
            sum(1, .refreshSeconds, "0.02", 3),
        ]
        let open = [MetricSeries(.refreshSeconds, "0.01"): 5, MetricSeries(.loginSeconds, "0.01"): 6]
        let report = MetricsReport(.hour, at: now, sums: sums, unwritten: open)
        let counts = report.histograms(.refreshSeconds, bounds: [0.01, 0.02]).map(\.counts)
        #expect(counts.count == report.count)
        #expect(counts.prefix(3) == [[2, 0, 1], [0, 3, 0], [0, 0, 0]])
        #expect(counts.last == [5, 0, 0])
        #expect(report.histogram(.refreshSeconds, bounds: [0.01, 0.02]).counts == [7, 3, 1])
        #expect(report.histogram(.loginSeconds, bounds: [0.01, 0.02]).counts == [6, 4, 0])
        #expect(report.histogram(.commitSeconds, bounds: [0.01, 0.02]).counts == [0, 0, 0])
    }

    @Test func `overlapping uptime of several servers counts once in a rate`() {
        let start = TimeRange.week.start(at: now)
        let up = MetricsReport.Sum(minute: start, figure: MetricSeries(.uptimeMinutes), value: 90)
        let refreshes = MetricsReport.Sum(minute: start, figure: MetricSeries(.refreshes, "bound"), value: 120)
        #expect(MetricsReport(.week, at: now, sums: [up, refreshes]).rates(.refreshes).first == 2)
    }

    @Test func `client version counts list the most frequent names and count the others together`() {
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

    @Test func `500 app versions are counted by name, each further one with the others, a known one by its name`() {
        var counts = ClientVersionCounts()
        for number in 1...501 { counts.count(platform: "ios", app: "App", version: "\(number)") }
        for version in ["500", "501", "502"] { counts.count(platform: "ios", app: "App", version: version) }
        let lines = counts.versions(1000)
        #expect(lines.count == 501)
        #expect(lines.first == .init("App 500", 2))
        #expect(lines.last == .init(ClientVersionCounts.others, 3))
    }

    @Test func `a single session beyond the lines is counted with the others`() {
        var counts = ClientVersionCounts()
        for platform in ["ios", "ios", "android"] { counts.count(platform: platform, app: nil, version: nil) }
        #expect(counts.platforms(1) == [.init("ios", 2), .init(ClientVersionCounts.others, 1)])
        #expect(counts.platforms(2) == [.init("ios", 2), .init("android", 1)])
    }

    @Test func `an app's name and version have at most 40 characters`() {
        for length in 39...41 {
            var counts = ClientVersionCounts()
            let app = String(repeating: "x", count: length - 2)
            counts.count(platform: "ios", app: app, version: "12")
            let name = "\(app) 12".prefix(40)
            #expect(counts.versions(1) == [.init(String(name), 1)])
        }
    }

    @Test func `a sum from before the range is left out, even one of the preceding interval`() {
        for span in TimeRange.allCases {
            let start = span.start(at: now)
            let sums = [-span.step, -1, 0].map {
                MetricsReport.Sum(minute: start + $0, figure: MetricSeries(.refreshes, "bound"), value: 1)
            }
            #expect(MetricsReport(span, at: now, sums: sums).total(.refreshes) == 1)
        }
    }

    @Test(
        arguments: [(0, 0), (59_999, 0), (60_000, 1), (119_999, 1), (60_000_000_000, 1_000_000), (-1, -1)]
            as [(Int64, Int64)]
    )
    func `a minute has 60,000 milliseconds`(milliseconds: Int64, minute: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).minute == minute)
    }

    @Test func `an operator's reason is parsed from an audit outcome, and free text is not`() {
        for reason in OperatorReason.allCases {
            #expect(OperatorReason(outcome: OperatorReason.outcome(reason)) == reason)
        }
        #expect(OperatorReason(outcome: OperatorReason.outcome(nil)) == nil)
        #expect(OperatorReason(outcome: "operator: <b>") == nil && OperatorReason(outcome: nil) == nil)
        #expect(OperatorReason(outcome: "identity: lost") == nil)
    }
}
