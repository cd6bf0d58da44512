// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

extension SeededRandomStream {
    /// Draws actions at random moments; those of one moment race with each other.
    ///
    /// - Parameters:
    ///   - moments: The number of moments.
    ///   - count: The number of actions at each moment.
    ///   - end: The time of the last moment, which is ten minutes or later.
    ///   - draw: Draws an action for its time in milliseconds.
    /// - Returns: The actions, in no order.
    mutating func actions<Action>(
        atMoments moments: ClosedRange<Int>,
        each count: ClosedRange<Int>,
        until end: Duration,
        _ draw: (Int, inout SeededRandomStream) -> Action
    ) -> [Action] {
        let milliseconds = max(Int(end / .milliseconds(1)), 600_000)
        var actions: [Action] = []
        for _ in 0..<number(in: moments) {
            let time = number(in: 0...milliseconds)
            for _ in 0..<number(in: count) {
                let delay = number(in: 0...(number(in: 0...2) == 0 ? 20_000 : 400))
                actions.append(draw(time + delay, &self))
            }
        }
        return actions
    }
}
