// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit
    import FreshetSimulator

    /// A device that sleeps from the tenth second to the 110th.
    enum SleepingDevice {
        /// Returns the times at which its timers end and messages are received, in their order.
        static func history() async -> String {
            let device = DeviceClock()
            let clock = device.sessionClock()
            nonisolated(unsafe) var events: [String] = []
            let note = { (event: String) in events.append("\(event) at \(Int(clock.now() / .seconds(1)))") }
            nonisolated(unsafe) let record = note
            await withTaskGroup { group in
                for time in [5, 20, 200] {
                    group.addTask {
                        try? await clock.sleep(until: .seconds(time))
                        record("timer of \(time)")
                    }
                }
                group.addTask {
                    try? await ContinuousClock().sleep(for: .seconds(10))
                    device.fallAsleep(for: .seconds(100))
                    for number in 1...3 {
                        try? await ContinuousClock().sleep(for: .seconds(10))
                        device.whenAwake { record("message \(number)") }
                    }
                }
            }
            // Those of the moment of waking up have no order.
            return events.filter { $0.hasPrefix("timer") }.joined(separator: ", ") + "; "
                + events.filter { $0.hasPrefix("message") }.joined(separator: ", ")
        }
    }
#endif
