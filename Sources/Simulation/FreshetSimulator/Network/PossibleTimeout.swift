// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    /// The time at which a caller may give up: a response that arrives within it may be too late.
    struct PossibleTimeout {
        private let range: ClosedRange<Duration>

        /// Calculates the true times for a caller that begins to wait now; its own clock may drift.
        init(_ timeout: Duration) {
            let tolerance = Oscillator.tolerance(of: timeout) + SimulationExecutor.shared.simultaneity
            let deadline = SimulationExecutor.shared.now + timeout
            range = deadline - tolerance...deadline + SessionClock.timerTolerance + tolerance
        }

        var isNow: Bool { range.contains(SimulationExecutor.shared.now) }
    }
#endif
