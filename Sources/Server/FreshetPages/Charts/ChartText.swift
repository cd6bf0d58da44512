// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Words, coordinates and times as charts write them.
enum ChartText {
    /// Text for an element or an attribute in quotes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // No document may hold those.
            case "\u{0}"..<"\u{20}" where !["\t", "\n", "\r"].contains(scalar): escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A coordinate with one decimal at most; what is no number is nothing.
    static func point(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }

    /// A whole number with its thousands apart.
    static func count(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value.magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }

    /// The time of day, by Greenwich.
    static func time(_ minute: Int64) -> String {
        let ofDay = ((minute % 1440) + 1440) % 1440
        return "\(two(ofDay / 60)):\(two(ofDay % 60))"
    }

    /// The day, such as `21 Nov`.
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
