// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import Testing

@testable import FreshetHTTP

@Suite struct `A listener without descriptors` {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private var machine = AcceptBackoffStateMachine()

    @Test mutating func `a listener whose accepts fail pauses for a second each time, and logs at most once a minute`()
    {
        var now = start
        var logged = 0
        for second in 0..<120 {
            let failure = machine.acceptFailed(at: now)
            #expect(failure.retryAt == now + .seconds(1))
            if failure.isLogged { logged += 1 }
            #expect(failure.isLogged == (second % 60 == 0))
            now = now + .seconds(1)
            #expect(machine.pauseEnded(at: now) == true)
        }
        #expect(logged == 2)
    }

    @Test mutating func `a paused listener starts no second pause when another accept fails`() {
        #expect(machine.acceptFailed(at: start).retryAt != nil)
        #expect(machine.acceptFailed(at: start + .milliseconds(1)).retryAt == nil)
    }

    @Test mutating func `a listener pauses when descriptors run low, and logs the first accept that fails afterwards`()
    {
        #expect(machine.descriptorsRanLow(at: start) == start + .seconds(1))
        #expect(machine.descriptorsRanLow(at: start + .milliseconds(1)) == nil)
        #expect(machine.pauseEnded(at: start + .seconds(1)) == true)
        #expect(machine.acceptFailed(at: start + .seconds(1)).isLogged)
    }

    @Test
    mutating func `a paused listener accepts again when a connection closes, and ignores the end of the old pause`() {
        _ = machine.acceptFailed(at: start)
        #expect(machine.connectionClosed() == true)
        #expect(machine.connectionClosed() == false)
        #expect(machine.acceptFailed(at: start + .milliseconds(500)).retryAt == start + .milliseconds(1500))
        #expect(machine.pauseEnded(at: start + .seconds(1)) == false)
        #expect(machine.pauseEnded(at: start + .milliseconds(1500)) == true)
    }
}
