// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem
import Testing

@Suite struct `A log throttle` {
    @Test func `a log throttle records the first event and one per interval, with the count since the last record`() {
        var throttle = LogThrottle()
        let counts = [0, 1, 59, 60, 61].map { throttle.count(now: .seconds($0), interval: .seconds(60)) }
        #expect(counts == [1, nil, nil, 3, nil])
    }

    @Test func `a log throttle records another cause after a second, and alternating causes at most once a second`() {
        var throttle = LogThrottle()
        func count(_ milliseconds: Int, _ cause: String) -> Int? {
            throttle.count(now: .milliseconds(milliseconds), interval: .seconds(60), cause: cause)
        }
        #expect(count(0, "timeout") == 1)
        #expect(count(5000, "timeout") == nil)
        #expect(count(6000, "login denied") == 2)
        #expect(count(6500, "timeout") == nil)
        #expect(count(7000, "timeout") == 2)
        #expect(count(9000, "timeout") == nil)
    }
}
