// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Counters and histograms, by name and labels or by index.
///
/// Every request updates some of them by index, because formatting a series' name costs more than counting it.
package struct MetricTable {
    private struct Key: Hashable {
        var name: String
        var values: [String]
    }

    private struct Histogram {
        var series: PrometheusSeries
        var counts: [Double]
        var sum = 0.0
    }

    /// The upper bounds of the histograms' buckets, in seconds.
    let bounds: [Double]
    private var places: [Key: Int] = [:]
    private var counters: [(series: PrometheusSeries, value: Double)] = []
    private var histogramPlaces: [Key: Int] = [:]
    private var histograms: [Histogram] = []

    init(bounds: [Double]) {
        self.bounds = bounds
    }

    mutating func count(_ name: String, _ labels: [(String, String)], by amount: Double) {
        count(at: counter(name, labels), by: amount)
    }

    mutating func observe(_ name: String, _ value: Double, _ labels: [(String, String)]) {
        observe(at: histogram(name, labels), value)
    }

    // MARK: Indexes, for callers that update the same series repeatedly

    /// Returns the index of a counter, which is created with zero if it is missing.
    package mutating func counter(_ name: String, _ labels: [(String, String)]) -> Int {
        let key = Key(name: name, values: labels.map(\.1))
        if let place = places[key] { return place }
        places[key] = counters.count
        counters.append((PrometheusSeries(name, labels), 0))
        return counters.count - 1
    }

    /// Returns the index of a histogram, which is created empty if it is missing.
    package mutating func histogram(_ name: String, _ labels: [(String, String)]) -> Int {
        let key = Key(name: name, values: labels.map(\.1))
        if let place = histogramPlaces[key] { return place }
        histogramPlaces[key] = histograms.count
        let counts = [Double](repeating: 0, count: bounds.count + 1)
        histograms.append(Histogram(series: PrometheusSeries(name, labels), counts: counts))
        return histograms.count - 1
    }

    package mutating func count(at place: Int, by amount: Double = 1) { counters[place].value += amount }

    package mutating func observe(at place: Int, _ value: Double) {
        histograms[place].counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        histograms[place].sum += value
    }

    /// Converts the metrics recorded so far.
    ///
    /// - Parameter omittingUnused: Whether to leave out the series that have not counted anything yet.
    /// - Returns: Prometheus samples.
    func samples(omittingUnused: Bool = false) -> PrometheusSamples {
        var samples = PrometheusSamples()
        for counter in counters where !omittingUnused || counter.value != 0 {
            samples.count(counter.series, by: counter.value)
        }
        for histogram in histograms where !omittingUnused || histogram.counts.contains(where: { $0 != 0 }) {
            samples.restore(histogram.series, histogram.counts, sum: histogram.sum, bounds: bounds)
        }
        return samples
    }
}
