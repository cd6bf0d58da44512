// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Times of day for a terminal: "14:02:11", with the date on another day.
enum ClockTime {
    static func text(_ date: Date, now: Date, in zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func padded(_ number: Int?, _ width: Int = 2) -> String {
            let text = "\(number ?? 0)"
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let time = "\(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second))"
        guard !calendar.isDate(date, inSameDayAs: now) else { return time }
        return "\(padded(parts.year, 4))-\(padded(parts.month))-\(padded(parts.day)) \(time)"
    }

    /// Returns a length in its two largest units: "7 min 58 s".
    static func length(_ seconds: Double) -> String {
        let total = Int(min(max(seconds.rounded(), 0), 1e9))
        let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        guard let first = units.firstIndex(where: { total >= $0.0 }) else { return "0 s" }
        let (size, name) = units[first]
        let rest = total % size
        guard first + 1 < units.count else { return "\(total) s" }
        let (smaller, smallerName) = units[first + 1]
        return "\(total / size) \(name)" + (rest / smaller > 0 ? " \(rest / smaller) \(smallerName)" : "")
    }
}
