// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetMetrics

/// Counters and histograms by name and labels, each at a place of its own: every request touches some of them, and writing
/// a series' name anew costs more than counting it.
struct MetricTable {
    private struct Key: Hashable {
        var name: String
        var values: [String]
    }

    private struct Histogram {
        var series: PrometheusSeries
        var counts: [Double]
        var sum = 0.0
    }

    /// The upper ends of the histograms' buckets, in seconds.
    let bounds: [Double]
    private var places: [Key: Int] = [:]
    private var counters: [(series: PrometheusSeries, value: Double)] = []
    private var histogramPlaces: [Key: Int] = [:]
    private var histograms: [Histogram] = []

    init(bounds: [Double]) {
        self.bounds = bounds
    }

    mutating func count(_ name: String, _ labels: [(String, String)], by amount: Double) {
        let key = Key(name: name, values: labels.map(\.1))
        if let place = places[key] {
            counters[place].value += amount
        } else {
            places[key] = counters.count
            counters.append((PrometheusSeries(name, labels), amount))
        }
    }

    mutating func observe(_ name: String, _ value: Double, _ labels: [(String, String)]) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        let key = Key(name: name, values: labels.map(\.1))
        let place = histogramPlaces[key] ?? histograms.count
        if place == histograms.count {
            histogramPlaces[key] = place
            let counts = [Double](repeating: 0, count: bounds.count + 1)
            histograms.append(Histogram(series: PrometheusSeries(name, labels), counts: counts))
        }
        histograms[place].counts[bucket] += 1
        histograms[place].sum += value
    }

    /// Everything that was counted so far, as Prometheus has it.
    var samples: PrometheusSamples {
        var samples = PrometheusSamples()
        for counter in counters { samples.count(counter.series, by: counter.value) }
        for histogram in histograms {
            samples.restore(histogram.series, histogram.counts, sum: histogram.sum, bounds: bounds)
        }
        return samples
    }
}
