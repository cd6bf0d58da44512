// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Dates as HTTP writes them (RFC 9110 section 5.6.7, the preferred form).
enum HTTPDate {
    static func parse(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}
