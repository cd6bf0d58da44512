// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Dates as HTTP writes them, the two obsolete forms included (RFC 9110 section 5.6.7).
enum HTTPDate {
    private static let formats = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ]

    static func parse(_ text: String) -> Date? { parse(text, now: Date()) }

    /// Reads a date; a year of two digits is never more than fifty years after `now`.
    static func parse(_ text: String, now: Date) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.twoDigitStartDate = now.addingTimeInterval(-50 * 365.2425 * 86_400)
        // asctime pads the day with a space.
        let text = text.replacing("  ", with: " ")
        for format in formats {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
