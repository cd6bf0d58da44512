// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The positions of an axis's lines: round values and round times.
enum ChartTicks {
    /// Returns round values from zero to at least the largest.
    static func values(upTo largest: Double, about count: Int = 4, isWhole: Bool) -> [Double] {
        guard largest.isFinite, largest > 0 else { return [0, 1] }
        let least = largest / Double(max(1, count))
        let power = pow(10, floor(log10(least)))
        guard power.isFinite, power > 0 else { return [0, largest] }
        var step = power * ([1, 2, 5, 10].first { $0 * power >= least * 0.999_999 } ?? 10)
        if isWhole { step = max(1, step.rounded()) }
        let steps = Int((largest / step - 1e-9).rounded(.up))
        return (0...max(1, steps)).map { Double($0) * step }
    }

    private static let intervals: [Int64] = [
        5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 5 * 1440, 7 * 1440, 14 * 1440, 30 * 1440,
    ]

    /// Returns round times within a range, few enough to fit, with their labels.
    static func times(from start: Int64, until end: Int64, atMost count: Int) -> [(minute: Int64, label: String)] {
        let interval = intervals.first { (end - start) / $0 <= Int64(max(1, count)) } ?? max(1, end - start)
        let first = (start + interval - 1) / interval * interval
        return stride(from: first, to: end, by: Int64.Stride(interval)).map { minute in
            (minute, interval < 1440 ? ChartText.time(minute) : ChartText.day(minute))
        }
    }
}
