// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    /// The time at which a caller may give up: a response that arrives within it may be too late.
    struct PossibleTimeout {
        private let deadline: ClosedRange<Duration>
        private let clock: DeviceClock

        /// Calculates the true times for a caller that begins to wait now; its own clock may drift.
        init(_ timeout: Duration, on clock: DeviceClock) {
            deadline = Self.end(of: timeout, since: SimulationExecutor.shared.now)
            self.clock = clock
        }

        var isNow: Bool {
            let now = SimulationExecutor.shared.now
            if deadline.contains(now) { return true }
            // A deadline that passes while the device sleeps leaves a second.
            let wakeTime = clock.wakeTime
            return deadline.lowerBound < wakeTime && Self.end(of: .seconds(1), since: wakeTime).contains(now)
        }

        private static func end(of time: Duration, since start: Duration) -> ClosedRange<Duration> {
            let tolerance = Oscillator.tolerance(of: time) + SimulationExecutor.shared.simultaneity
            return start + time - tolerance...start + time + SessionClock.timerTolerance + tolerance
        }
    }
#endif
