// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `Trust in the clock` {
    private let start = Timestamp(milliseconds: 1_000_000_000_000)

    @Test func `is lost by a jump either way, and comes back with the clock`() {
        for jump in [Duration.seconds(3600), .seconds(-3600)] {
            var trust = ClockTrust(wall: start, steady: .zero)
            #expect(trust.look(wall: start + .seconds(60), steady: .seconds(60)) == nil)
            #expect(trust.look(wall: start + .seconds(120) + jump, steady: .seconds(120)) == jump)
            #expect(!trust.isTrusted)
            #expect(trust.look(wall: start + .seconds(180) + jump, steady: .seconds(180)) == nil)
            #expect(!trust.isTrusted)
            #expect(trust.look(wall: start + .seconds(240), steady: .seconds(240)) == nil)
            #expect(trust.isTrusted)
        }
    }

    @Test func `is not lost by the small steps of a clock that is kept right`() {
        var trust = ClockTrust(wall: start, steady: .zero)
        for minute in 1...100 {
            #expect(trust.look(wall: start + .seconds(minute * 64), steady: .seconds(minute * 60)) == nil)
        }
        #expect(trust.isTrusted)
    }

    @Test func `comes back to a clock that has run evenly for an hour after its jump`() {
        var trust = ClockTrust(wall: start, steady: .zero)
        let moved = start + .seconds(86_400)
        #expect(trust.look(wall: moved, steady: .seconds(1)) != nil)
        #expect(trust.look(wall: moved + .seconds(3000), steady: .seconds(3001)) == nil)
        #expect(!trust.isTrusted)
        #expect(trust.look(wall: moved + .seconds(3600), steady: .seconds(3601)) == nil)
        #expect(trust.isTrusted)
    }

    @Test func `starts its hour again at every further jump`() {
        var trust = ClockTrust(wall: start, steady: .zero)
        _ = trust.look(wall: start + .seconds(86_400), steady: .seconds(1))
        #expect(trust.look(wall: start + .seconds(2 * 86_400), steady: .seconds(3000)) != nil)
        _ = trust.look(wall: start + .seconds(2 * 86_400 + 1000), steady: .seconds(4000))
        #expect(!trust.isTrusted)
    }

    @Test func `is not given at the start to a clock that stands before its last time, or weeks after it`() {
        for gap in [Duration.seconds(-3600), .seconds(30 * 86_400)] {
            var trust = ClockTrust(wall: start, steady: .zero, lastSeen: start + (.zero - gap))
            #expect(!trust.isTrusted)
            _ = trust.look(wall: start + .seconds(60), steady: .seconds(60))
            #expect(!trust.isTrusted)
            _ = trust.look(wall: start + .seconds(3700), steady: .seconds(3700))
            #expect(trust.isTrusted)
        }
        #expect(ClockTrust(wall: start, steady: .zero, lastSeen: start + .seconds(-86_400)).isTrusted)
    }
}
