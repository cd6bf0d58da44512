// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The vertical scale of rates: linear, or logarithmic if they are far apart.
struct RateScale {
    let lowest: Double
    let highest: Double
    let ticks: [Double]
    private let isLogarithmic: Bool

    init(_ values: [Double]) {
        let largest = max(values.max() ?? 1, 1e-3)
        let middle = values.sorted()[safe: values.count / 2] ?? largest
        isLogarithmic = largest > middle * 8
        if isLogarithmic {
            // Rates below a hundredth of the median are drawn at the bottom.
            let least = max(values.filter { $0 > 0 }.min() ?? largest, middle / 100, largest / 1e6)
            let (low, high) = (Int(log10(least).rounded(.down)), Int(log10(largest).rounded(.up)))
            ticks = (low...max(high, low + 1)).map { Self.power($0) }
        } else {
            let power = Self.power(Int(log10(largest / 4).rounded(.down)))
            let step = [1, 2, 5, 10].map { $0 * power }.first { $0 * 4 >= largest } ?? largest
            ticks = (0...Int((largest / step).rounded(.up))).map { Double($0) * step }
        }
        lowest = ticks.first ?? 0
        highest = ticks.last ?? 1
    }

    /// Returns the position of a rate: 0 is the bottom, 1 the top.
    func share(of rate: Double) -> Double {
        guard isLogarithmic else { return (rate - lowest) / (highest - lowest) }
        return log10(max(rate, lowest) / lowest) / log10(highest / lowest)
    }

    private static func power(_ exponent: Int) -> Double {
        exponent < 0 ? 1 / power(-exponent) : (0..<exponent).reduce(1) { value, _ in value * 10 }
    }

    /// Returns the label of a tick.
    static func text(_ tick: Double) -> String {
        tick == tick.rounded() ? FleetText.count(Int(tick)) : "\(tick)"
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
