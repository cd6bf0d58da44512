// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Formats the text, coordinates and times of charts.
enum ChartText {
    /// Escapes text for an element or a quoted attribute.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // XML documents must not contain these characters.
            case "\u{0}"..<"\u{20}" where !["\t", "\n", "\r"].contains(scalar): escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Formats a coordinate with at most one decimal; a value that is not finite becomes zero.
    static func point(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }

    /// Formats an integer with thousands separators.
    static func count(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value.magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }

    /// Formats the time of day, in UTC.
    static func time(_ minute: Int64) -> String {
        let ofDay = ((minute % 1440) + 1440) % 1440
        return "\(two(ofDay / 60)):\(two(ofDay % 60))"
    }

    /// Formats a day, such as `21 Nov`.
    static func day(_ minute: Int64) -> String {
        let parts = calendar.dateComponents([.day, .month], from: Date(timeIntervalSince1970: Double(minute) * 60))
        return "\(parts.day ?? 1) \(months[((parts.month ?? 1) - 1) % 12])"
    }

    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
