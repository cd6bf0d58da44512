// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The number formats of tables and charts.
package enum FleetText {
    /// Formats a whole number with thousands separators.
    package static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Formats a number with one decimal below 100, and with none from 100.
    package static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "-" }
        guard abs(value) < 100 else { return count(Int(value.rounded())) }
        let tenths = Int((value.magnitude * 10).rounded())
        return "\(value < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
    }

    /// Formats a time since the start as hours and minutes.
    static func time(_ seconds: Int) -> String {
        let minutes = seconds / 60
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }

    /// Formats a coordinate with at most one decimal.
    static func point(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int((value.magnitude * 10).rounded())
        let text = tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return value < 0 && tenths > 0 ? "-" + text : text
    }
}
