// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@Suite struct `Dates of HTTP` {
    private static let now = 1_800_000_000.0

    @Test func `dates are read in the three forms of HTTP`() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            #expect(HTTPDate.secondsSince1970(text, now: Self.now) == 784_111_777, "\(text)")
        }
        #expect(HTTPDate.secondsSince1970("tomorrow", now: Self.now) == nil)
    }

    @Test(arguments: [
        // Cookies mix the two forms, and clients of ours have read them so far.
        ("Wed, 21-Oct-2015 07:28:00 GMT", 1_445_412_480), ("wednesday, 21 oct 2015 7:28:00 gmt", 1_445_412_480),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ])
    func `an HTTP date in a common variant is read`(text: String, seconds: Double) {
        #expect(HTTPDate.secondsSince1970(text, now: Self.now) == seconds)
    }

    @Test(arguments: [
        "", ",", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 30 Feb 2024 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun Nov 6 08:49:37", "Sun, 06-Nov 94 08:49:37 GMT",
    ])
    func `a text that is no date of HTTP is not read`(text: String) {
        #expect(HTTPDate.secondsSince1970(text, now: Self.now) == nil)
    }

    @Test func `a year of two digits is at most fifty years after now`() {
        // Now is January 2027.
        #expect(HTTPDate.secondsSince1970("Friday, 01-Jan-77 00:00:00 GMT", now: Self.now) == 3_376_684_800)
        #expect(HTTPDate.secondsSince1970("Saturday, 01-Jan-78 00:00:00 GMT", now: Self.now) == 252_460_800)
        #expect(HTTPDate.secondsSince1970("Tuesday, 29-Feb-00 00:00:00 GMT", now: Self.now) == 951_782_400)
    }

    /// Foundation's calendar is the oracle.
    @Test func `HTTP dates are written as Foundation writes them, and read back`() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        // A prime number of seconds, so that days and times of day vary; from 1900 to 2400.
        var times = (0..<4000).map { -2_208_988_800 + $0 * 3_944_639 }
        // The days around the end of February in years divisible by 100, of which only 2000 and 2400 are leap years.
        for march in [-2_203_891_200, 951_868_800, 4_107_542_400, 13_574_649_600] {
            times += (-3...3).map { march + $0 * 86_400 }
        }
        for seconds in times {
            let text = HTTPDate.text(secondsSince1970: seconds)
            #expect(text == formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
            #expect(HTTPDate.secondsSince1970(text, now: Self.now) == Double(seconds))
        }
    }
}
