// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetEngine
    import FreshetWire

    /// The clocks of a machine with a server or a database.
    final class MachineClock: @unchecked Sendable {
        private let oscillator: Oscillator
        /// The difference between the wall clock and the true time, apart from the oscillator's.
        private var offset: Duration
        /// Whether the wall clock was set.
        private(set) var hasJumped = false
        private var lastJump = Duration.zero
        private var earlierLead = Duration.zero

        /// - Parameters:
        ///   - oscillator: The machine's oscillator.
        ///   - offset: The difference between the wall clock and the true time at the start.
        init(_ oscillator: Oscillator, offset: Duration = .zero) {
            self.oscillator = oscillator
            self.offset = offset
        }

        var wall: Timestamp { .simulated + offset + oscillator.deviation }

        /// The time since the start of the history.
        var monotonic: Duration { oscillator.elapsed() }

        /// How far the wall clock has been ahead of the true time while a server may have trusted it: after an hour, or
        /// from a start on if the server may have been stopped for as long.
        var trustedLead: Duration {
            let isEven = SimulationExecutor.shared.now - lastJump >= .seconds(3600)
            return hasJumped && (isEven || offset <= .seconds(86_400)) ? max(earlierLead, offset) : earlierLead
        }

        /// Sets the wall clock forwards or backwards.
        func jump(by offset: Duration) {
            earlierLead = trustedLead
            lastJump = SimulationExecutor.shared.now
            self.offset += offset
            hasJumped = true
        }
    }
#endif
