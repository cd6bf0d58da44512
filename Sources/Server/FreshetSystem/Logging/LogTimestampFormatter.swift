// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import NIOConcurrencyHelpers

/// Formats times in UTC with milliseconds (RFC 3339), and caches all but the milliseconds.
final class LogTimestampFormatter: Sendable {
    private let written = NIOLockedValueBox((second: Int64.min, text: [UInt8]()))

    func addNow(to line: inout UTF8Buffer) {
        add(milliseconds: Int64(Date().timeIntervalSince1970 * 1000), to: &line)
    }

    func add(milliseconds: Int64, to line: inout UTF8Buffer) {
        let (second, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let text = written.withLockedValue { written in
            if written.second != second { written = (second, Self.write(second)) }
            return written.text
        }
        line.add(text)
        line.add(UInt64(rest), digits: 3)
        line.add("Z")
    }

    private static func write(_ second: Int64) -> [UInt8] {
        var second = time_t(second)
        var parts = tm()
        gmtime_r(&second, &parts)
        var text = UTF8Buffer(capacity: 20)
        let numbers: [(Int32, Int, StaticString)] = [
            (parts.tm_year + 1900, 4, "-"), (parts.tm_mon + 1, 2, "-"), (parts.tm_mday, 2, "T"),
            (parts.tm_hour, 2, ":"), (parts.tm_min, 2, ":"), (parts.tm_sec, 2, "."),
        ]
        for (number, width, mark) in numbers {
            text.add(UInt64(number), digits: width)
            text.add(mark)
        }
        return text.bytes
    }
}
