// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The metrics of a time range, in equal intervals.
package struct MetricsReport: Equatable, Sendable {
    /// A stored sum.
    package struct Sum: Equatable, Sendable {
        /// The first minute of its interval.
        package var minute: Int64
        package var figure: MetricSeries
        package var value: Int

        package init(minute: Int64, figure: MetricSeries, value: Int) {
            self.minute = minute
            self.figure = figure
            self.value = value
        }
    }

    /// The first minute of the range.
    package let start: Int64
    /// The length of an interval, in minutes.
    package let step: Int64
    /// The stored counts, by interval.
    private var parts: [[MetricSeries: Int]]
    /// The counts that are not stored yet; they belong to the last interval.
    private let unwritten: [MetricSeries: Int]

    package init(_ span: TimeRange, at now: Timestamp, sums: [Sum], unwritten: [MetricSeries: Int] = [:]) {
        start = span.start(at: now)
        step = span.step
        self.unwritten = unwritten
        parts = [[MetricSeries: Int]](repeating: [:], count: span.count)
        for sum in sums where sum.minute >= start {
            let index = Int((sum.minute - start) / step)
            if parts.indices.contains(index) { parts[index][sum.figure, default: 0] += sum.value }
        }
    }

    package var count: Int { parts.count }

    /// The number of minutes of an interval in which a server ran.
    package func uptimeMinutes(_ index: Int) -> Int { min(parts[index][MetricSeries(.uptimeMinutes)] ?? 0, Int(step)) }

    /// Whether a server ran in an interval.
    package func isKnown(_ index: Int) -> Bool {
        uptimeMinutes(index) > 0 || (index == count - 1 && !unwritten.isEmpty)
    }

    /// The counts by interval, summed over the labels that `isWanted` accepts; `nil` for an interval in which no server
    /// ran.
    package func values(_ name: MetricSeries.Name, where isWanted: (String) -> Bool = { _ in true }) -> [Int?] {
        parts.indices.map { isKnown($0) ? sum(everything(in: $0), name, isWanted) : nil }
    }

    /// The rates per minute, by interval; `nil` for an interval in which no server ran.
    ///
    /// Excludes counts that are not stored yet, because their minute has not ended.
    package func rates(_ name: MetricSeries.Name) -> [Double?] {
        parts.indices.map { index in
            let minutes = uptimeMinutes(index)
            return minutes > 0 ? Double(sum(parts[index], name) { _ in true }) / Double(minutes) : nil
        }
    }

    /// The total count over the range, summed over the labels that `isWanted` accepts.
    package func total(_ name: MetricSeries.Name, where isWanted: (String) -> Bool = { _ in true }) -> Int {
        parts.indices.reduce(0) { $0 + sum(everything(in: $1), name, isWanted) }
    }

    /// The total counts over the range, by label.
    package func totals(_ name: MetricSeries.Name) -> [String: Int] {
        var totals: [String: Int] = [:]
        for index in parts.indices {
            for (figure, value) in everything(in: index) where figure.name == name && value != 0 {
                totals[figure.label, default: 0] += value
            }
        }
        return totals
    }

    /// The durations by interval.
    package func histograms(_ name: MetricSeries.Name, bounds: [Double]) -> [LatencyHistogram] {
        parts.indices.map { index in
            var histogram = LatencyHistogram(bounds: bounds)
            for (figure, value) in everything(in: index) where figure.name == name {
                histogram.add(value, to: figure.label)
            }
            return histogram
        }
    }

    /// The durations of the whole range.
    package func histogram(_ name: MetricSeries.Name, bounds: [Double]) -> LatencyHistogram {
        var histogram = LatencyHistogram(bounds: bounds)
        for (label, value) in totals(name) { histogram.add(value, to: label) }
        return histogram
    }

    private func everything(in index: Int) -> [MetricSeries: Int] {
        index == count - 1 ? parts[index].merging(unwritten, uniquingKeysWith: +) : parts[index]
    }

    private func sum(_ part: [MetricSeries: Int], _ name: MetricSeries.Name, _ isWanted: (String) -> Bool) -> Int {
        part.reduce(0) { $1.key.name == name && isWanted($1.key.label) ? $0 + $1.value : $0 }
    }
}
