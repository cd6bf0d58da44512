// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetHTTP

@Suite struct `The date of an answer` {
    /// The first is RFC 9110's own example (section 5.6.7).
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
    ])
    func `a Date field is formatted as HTTP requires for each second`(second: Int, text: String) {
        let date = HTTPDateText()
        #expect(date.text(at: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        for _ in 1...2 { #expect(date.text(at: second) == text) }
    }
}
