// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import NIOConcurrencyHelpers

/// The time as a `Date` field has it (RFC 9110 section 5.6.7), written once a second.
package final class HTTPDateText: Sendable {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private let written = NIOLockedValueBox((second: time_t.min, text: ""))

    /// What it says now.
    package var now: String { text(at: time(nil)) }

    /// What it says at a moment in seconds since 1970.
    package func text(at second: time_t) -> String {
        written.withLockedValue { written in
            if written.second != second { written = (second, Self.write(second)) }
            return written.text
        }
    }

    private static func write(_ second: time_t) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
        return "\(day) \(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
