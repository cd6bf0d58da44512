// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Numbers as tables and charts write them.
package enum FleetText {
    /// A whole number with its thousands apart.
    package static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// One decimal below a hundred, else none.
    package static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "-" }
        guard abs(value) < 100 else { return count(Int(value.rounded())) }
        let tenths = Int((value.magnitude * 10).rounded())
        return "\(value < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
    }

    /// A time since the start as hours and minutes.
    static func time(_ seconds: Int) -> String {
        let minutes = seconds / 60
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }

    /// A coordinate with one decimal at most.
    static func point(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int((value.magnitude * 10).rounded())
        let text = tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return value < 0 && tenths > 0 ? "-" + text : text
    }
}
