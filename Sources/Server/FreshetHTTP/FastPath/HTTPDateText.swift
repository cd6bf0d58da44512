// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import NIOConcurrencyHelpers

/// The value of a `Date` field (RFC 9110 section 5.6.7), formatted once a second.
final class HTTPDateText: Sendable {
    private let written = NIOLockedValueBox((second: time_t.min, text: ""))

    /// The current value.
    var now: String { text(at: time(nil)) }

    /// Returns the value at a time in seconds since 1970.
    func text(at second: time_t) -> String {
        written.withLockedValue { written in
            if written.second != second { written = (second, HTTPDate.text(secondsSince1970: second)) }
            return written.text
        }
    }
}
