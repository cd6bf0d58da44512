// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Counters, gauges and histograms, and their Prometheus text format (version 0.0.4).
package struct PrometheusSamples: Equatable, Sendable {
    /// The upper bounds of a histogram's buckets, in seconds.
    package static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    struct Histogram: Equatable, Sendable {
        /// The upper bounds of the buckets.
        var bounds = PrometheusSamples.bounds
        /// The number of values in each bucket alone, and beyond the last bucket.
        var counts = [Double](repeating: 0, count: PrometheusSamples.bounds.count + 1)
        var sum = 0.0

        init() {}

        init(bounds: [Double], counts: [Double]? = nil, sum: Double = 0) {
            self.bounds = bounds
            self.counts = counts ?? [Double](repeating: 0, count: bounds.count + 1)
            self.sum = sum
        }
    }

    private(set) var counters: [PrometheusSeries: Double] = [:]
    private(set) var gauges: [PrometheusSeries: Double] = [:]
    private(set) var histograms: [PrometheusSeries: Histogram] = [:]

    package init() {}

    package var isEmpty: Bool { counters.isEmpty && gauges.isEmpty && histograms.isEmpty }

    package mutating func count(_ series: PrometheusSeries, by amount: Double) {
        counters[series, default: 0] += amount
    }

    /// Sets the value of a gauge.
    package mutating func set(_ series: PrometheusSeries, to value: Double) { gauges[series] = value }

    /// Adds a value to a histogram.
    package mutating func observe(_ series: PrometheusSeries, _ value: Double) {
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        histograms[series, default: Histogram()].counts[bucket] += 1
        histograms[series, default: Histogram()].sum += value
    }

    package mutating func reset(_ series: PrometheusSeries) {
        counters[series] = nil
        gauges[series] = nil
        histograms[series] = nil
    }

    /// Adds the samples of another process.
    package mutating func add(_ other: PrometheusSamples) {
        for (series, value) in other.counters { count(series, by: value) }
        gauges.merge(other.gauges) { $1 }
        for (series, histogram) in other.histograms {
            var sum = histograms[series] ?? Histogram(bounds: histogram.bounds)
            for index in sum.counts.indices { sum.counts[index] += histogram.counts[index] }
            sum.sum += histogram.sum
            histograms[series] = sum
        }
    }

    /// Sets a histogram to the number of values in each bucket alone and beyond the last bucket, and to their sum.
    package mutating func restore(
        _ series: PrometheusSeries,
        _ counts: [Double],
        sum: Double,
        bounds: [Double] = Self.bounds
    ) {
        histograms[series] = Histogram(bounds: bounds, counts: counts, sum: sum)
    }

    // MARK: Reading

    /// Returns the sums of a counter by one label, optionally only where another label has a value.
    package func counts(
        of name: String,
        by label: String,
        where condition: (label: String, value: String)? = nil
    ) -> [String: Double] {
        var counts: [String: Double] = [:]
        for (series, value) in counters where series.name == name {
            if let condition, series.value(of: condition.label) != condition.value { continue }
            if let labelValue = series.value(of: label) { counts[labelValue, default: 0] += value }
        }
        return counts
    }

    /// Returns the number of values in each bucket of a histogram, over all labels.
    package func buckets(of name: String) -> [Double] {
        var counts: [Double] = []
        for (series, histogram) in histograms where series.name == name {
            if counts.isEmpty { counts = [Double](repeating: 0, count: histogram.counts.count) }
            for (index, count) in histogram.counts.enumerated() where index < counts.count { counts[index] += count }
        }
        return counts
    }

    // MARK: Text

    package var text: String {
        var lines: [String] = []
        for (name, group) in Dictionary(grouping: counters.keys, by: \.name).sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) counter")
            for series in group.sorted() { lines.append("\(series) \(Self.number(counters[series] ?? 0))") }
        }
        for (name, group) in Dictionary(grouping: gauges.keys, by: \.name).sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) gauge")
            for series in group.sorted() { lines.append("\(series) \(Self.number(gauges[series] ?? 0))") }
        }
        for (name, group) in Dictionary(grouping: histograms.keys, by: \.name).sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) histogram")
            for series in group.sorted() { lines += Self.lines(series, histograms[series] ?? Histogram()) }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func lines(_ series: PrometheusSeries, _ histogram: Histogram) -> [String] {
        var lines: [String] = []
        var count = 0.0
        for (index, bound) in (histogram.bounds + [.infinity]).enumerated() {
            count += histogram.counts[index]
            let end = bound.isFinite ? number(bound) : "+Inf"
            lines.append("\(series.with(suffix: "_bucket", label: "le=\"\(end)\"")) \(number(count))")
        }
        lines.append("\(series.with(suffix: "_sum")) \(number(histogram.sum))")
        lines.append("\(series.with(suffix: "_count")) \(number(count))")
        return lines
    }

    private static func number(_ value: Double) -> String {
        let whole = Int64(exactly: value)
        return whole.map(String.init) ?? "\(value)"
    }
}
