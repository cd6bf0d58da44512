// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom
import Testing

@testable import FreshetSimulation

@Suite struct `The event wheel` {
    @Test func `the event wheel returns every event in order of time, including events set meanwhile`() {
        var chance = SeededRandomStream(seed: 7)
        var wheel = TimingWheel(devices: 200, span: 60_000)
        var expected: [Int] = []
        for device in 0..<100 {
            let time = Int(chance.uniform() * 60_000)
            expected.append(time)
            wheel.set(device, at: time)
        }
        var times: [Int] = []
        while let (device, time) = wheel.next() {
            times.append(time)
            guard device < 100 else { continue }
            // Some of these are in the second at hand.
            let later = time + device * 13
            if later < 60_000 { expected.append(later) }
            wheel.set(device + 100, at: later)
        }
        #expect(times == expected.sorted())
    }

    @Test func `the event wheel returns devices with equal times in order of their numbers`() {
        var wheel = TimingWheel(devices: 3, span: 1000)
        for device in [2, 0, 1] { wheel.set(device, at: 500) }
        #expect([wheel.next()?.device, wheel.next()?.device, wheel.next()?.device] == [0, 1, 2])
        #expect(wheel.next() == nil)
    }
}
