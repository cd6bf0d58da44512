// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The unit of a chart's values, and their format.
enum ChartUnit: Sendable {
    case count
    case perMinute
    case seconds

    /// Formats a value in full, for tables.
    func text(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        switch self {
        case .count: return ChartText.count(Int(exactly: value.rounded()) ?? .max)
        case .perMinute: return Self.decimal(value)
        case .seconds: return Self.duration(value)
        }
    }

    /// Formats a value in few characters, for an axis.
    func short(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        if self == .seconds { return Self.duration(value) }
        for (size, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] where abs(value) >= size {
            return abs(value) >= 1e15 ? "\(value)" : "\(Self.decimal(value / size)) \(letter)"
        }
        return Self.decimal(value)
    }

    /// Whether all values are integers.
    var isWhole: Bool { self == .count }

    private static func duration(_ seconds: Double) -> String {
        if seconds == 0 { return "0" }
        return abs(seconds) < 1 ? "\(decimal(seconds * 1000)) ms" : "\(decimal(seconds)) s"
    }

    /// Formats with two decimals below ten, one below a hundred, else none; without trailing zeros.
    private static func decimal(_ value: Double) -> String {
        let digits = abs(value) < 10 ? 100.0 : abs(value) < 100 ? 10 : 1
        let rounded = (value * digits).rounded() / digits
        guard let whole = Int(exactly: rounded) else { return "\(rounded)" }
        return ChartText.count(whole)
    }
}
