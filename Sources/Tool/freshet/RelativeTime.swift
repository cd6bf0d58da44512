// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Relative times for a terminal: "in 9 min", "3 d ago".
enum RelativeTime {
    static func text(to moment: Date, from now: Date = Date()) -> String {
        let seconds = moment.timeIntervalSince(now)
        let span = span(abs(seconds))
        return seconds < 0 ? "\(span) ago" : "in \(span)"
    }

    static func span(_ seconds: Double) -> String {
        let units: [(Double, String)] = [(86_400, "d"), (3600, "h"), (60, "min")]
        for (length, name) in units where seconds >= length { return "\(Int(seconds / length)) \(name)" }
        return "\(Int(seconds)) s"
    }
}
