// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Dates in HTTP's header fields (RFC 9110 section 5.6.7).
///
/// Years are those of the proleptic Gregorian calendar.
package enum HTTPDate {
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Formats a time as an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(secondsSince1970 seconds: Int) -> String {
        let days = seconds.floorDivided(by: 86_400)
        let time = seconds - days * 86_400
        let date = civilDate(daysSince1970: days)
        // 1 January 1970 was a Thursday.
        let weekday = Self.days[(days + 4) - (days + 4).floorDivided(by: 7) * 7].prefix(3)
        let day = "\(weekday), \(digits(date.day, 2)) \(months[date.month - 1]) \(digits(date.year, 4))"
        return "\(day) \(digits(time / 3600, 2)):\(digits(time / 60 % 60, 2)):\(digits(time % 60, 2)) GMT"
    }

    /// Parses an IMF-fixdate or one of the two obsolete forms, RFC 850's and that of `asctime`.
    ///
    /// - Parameters:
    ///   - text: The date. The name of its weekday is not compared with it.
    ///   - now: The current time in seconds since 1970. A year of two digits is at most 50 years after it.
    /// - Returns: The seconds since 1970, or `nil` for any other text.
    package static func secondsSince1970(_ text: String, now: Double) -> Double? {
        let scalars = text.unicodeScalars.split { $0 == " " || $0 == "," || $0 == "\t" }
        var fields = scalars.map(String.init)
        guard fields.count > 3, isWeekday(fields.removeFirst()) else { return nil }
        if text.utf8.contains(UInt8(ascii: ",")) {
            guard fields.removeLast().lowercased() == "gmt" else { return nil }
            // RFC 850 joins day, month and year by hyphens.
            if fields.count == 2 { fields = scalars[1].split(separator: "-").map(String.init) + fields[1...] }
        } else if fields.count == 4 {
            fields = [fields[1], fields[0], fields[3], fields[2]]
        }
        guard fields.count == 4, let day = number(fields[0], digits: 1...2),
            let month = months.firstIndex(where: { $0.lowercased() == fields[1].lowercased() }),
            let year = number(fields[2], digits: 2...4), let time = time(fields[3])
        else { return nil }
        guard fields[2].count == 2 else { return seconds(year: year, month + 1, day, time) }
        return seconds(shortYear: year, month + 1, day, time, now: now)
    }

    // MARK: Parts of a date

    private static func isWeekday(_ name: String) -> Bool {
        days.contains { $0.lowercased() == name.lowercased() || $0.prefix(3).lowercased() == name.lowercased() }
    }

    /// Parses a time of day; the result is in seconds since midnight.
    private static func time(_ text: String) -> Int? {
        let parts = text.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false)
            .map { number(String($0), digits: 1...2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            hour < 24, minute < 60, second < 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: String, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    // MARK: The calendar

    /// Returns the time whose year is within the hundred years that begin 50 years before `now`.
    private static func seconds(shortYear: Int, _ month: Int, _ day: Int, _ time: Int, now: Double) -> Double? {
        let start = min(max(now, -6e10), 2e11) - 50 * 365.2425 * 86_400
        let century = civilDate(daysSince1970: Int(start).floorDivided(by: 86_400)).year / 100 * 100
        let years = [century + shortYear, century + 100 + shortYear]
        return years.lazy.compactMap { seconds(year: $0, month, day, time) }.first { $0 >= start }
    }

    /// Returns the time of a date; `nil` if the month does not have that day.
    private static func seconds(year: Int, _ month: Int, _ day: Int, _ time: Int) -> Double? {
        let days = daysSince1970(year: year, month, day)
        guard civilDate(daysSince1970: days) == (year, month, day) else { return nil }
        return Double(days * 86_400 + time)
    }

    /// Returns the number of days since 1970.
    ///
    /// Counts in eras of 400 years, which all have the same number of days, with years that begin in March.
    private static func daysSince1970(year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = days.floorDivided(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
    }
}

extension Int {
    /// Returns the quotient, rounded down.
    fileprivate func floorDivided(by divisor: Int) -> Int {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
