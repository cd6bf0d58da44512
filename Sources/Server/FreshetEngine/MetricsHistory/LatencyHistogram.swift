// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How many things took how long, in buckets.
package struct LatencyHistogram: Equatable, Sendable {
    /// The upper ends of the buckets, in seconds, growing; what took longer is in one more.
    package let bounds: [Double]
    package private(set) var counts: [Int]

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// The word for a bucket, as it is stored.
    package static func label(_ index: Int, of bounds: [Double]) -> String {
        bounds.indices.contains(index) ? "\(bounds[index])" : "more"
    }

    /// Adds to the bucket of a word; one that a later version wrote counts for nothing.
    package mutating func add(_ amount: Int, to label: String) {
        guard let index = counts.indices.first(where: { Self.label($0, of: bounds) == label }) else { return }
        counts[index] += amount
    }

    /// The time that a share of all stayed within, in seconds: a straight line through the bucket that it falls into.
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
