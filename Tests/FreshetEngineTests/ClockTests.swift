// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Testing

@Suite struct `Clocks by value` {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test func `expired rows are deleted by the time of a trusted clock, and not at all by an untrusted one`() {
        let now = Self.now
        let (earliest, latest) = (now + .seconds(-60), now + .seconds(60))
        let trusted = ClockReading(now: now, isTrusted: true, earliest: earliest, latest: latest)
        #expect(trusted.deletionLimit == now)
        let untrusted = ClockReading(now: now, isTrusted: false, earliest: earliest, latest: latest)
        #expect(untrusted.deletionLimit == Timestamp(milliseconds: 0))
    }

    @Test func `the database's clock is queried beside the machine's clocks, and not beside others by default`() {
        let now = Self.now
        let agreeing = ClockSource { now }
        let separate = ClockSource(wall: { now }, monotonic: { .zero })
        #expect(ClockSource.system.queriesDatabase)
        #expect(!agreeing.queriesDatabase)
        #expect(!separate.queriesDatabase)
    }

    /// The bound allows for a clock that is set during the test; a reading in another unit is years away.
    @Test func `the machine's wall clock is read in milliseconds since 1970`() {
        let difference = Timestamp.system().seconds - Date().timeIntervalSince1970
        #expect(abs(difference) < 86_400)
    }
}
