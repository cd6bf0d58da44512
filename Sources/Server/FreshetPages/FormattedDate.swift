// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine

/// A time as a page shows it, in UTC: without scripts, the reader's time zone is unknown.
struct FormattedDate: Sendable {
    /// The machine-readable form (RFC 3339).
    let iso: String
    /// The date and time, such as `21 Nov 2026, 18:17`.
    let text: String
    /// The relative time, such as `2 hours ago` and `in 3 days`.
    let relative: String

    init(_ moment: Timestamp, now: Timestamp) {
        let date = Date(timeIntervalSince1970: moment.seconds)
        iso = date.formatted(.iso8601)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        let (hour, minute) = (parts.hour ?? 0, parts.minute ?? 0)
        let time = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        text = "\(parts.day ?? 1) \(Self.months[(parts.month ?? 1) - 1]) \(parts.year ?? 1970), \(time)"
        let span = now - moment
        relative =
            span >= .seconds(60)
            ? "\(span.roundedText) ago" : span > .seconds(-60) ? "just now" : "in \((.zero - span).roundedText)"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
