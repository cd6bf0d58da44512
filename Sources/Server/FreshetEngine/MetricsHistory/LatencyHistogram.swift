// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A histogram of durations.
package struct LatencyHistogram: Equatable, Sendable {
    /// The upper bounds of the buckets in seconds, ascending; longer durations are in an additional bucket.
    package let bounds: [Double]
    package private(set) var counts: [Int]

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// The stored name of a bucket.
    package static func label(_ index: Int, of bounds: [Double]) -> String {
        bounds.indices.contains(index) ? "\(bounds[index])" : "more"
    }

    /// Adds to a bucket by its stored name; an unknown name of a later version is ignored.
    package mutating func add(_ amount: Int, to label: String) {
        guard let index = counts.indices.first(where: { Self.label($0, of: bounds) == label }) else { return }
        counts[index] += amount
    }

    /// Returns a percentile in seconds, interpolated linearly within its bucket.
    ///
    /// A percentile beyond the last bucket is reported as that bucket's lower bound.
    ///
    /// - Returns: `nil` if nothing was counted.
    package func percentile(_ share: Double) -> Double? {
        let total = Double(count)
        guard total > 0 else { return nil }
        let wanted = min(max(share, 0), 1) * total
        var before = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            let here = Double(count)
            if before + here >= wanted {
                guard index < bounds.count else { return bounds.last }
                let lower = index == 0 ? 0 : bounds[index - 1]
                return lower + (bounds[index] - lower) * max(0, wanted - before) / here
            }
            before += here
        }
        return bounds.last
    }
}
