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

        /// Sets the wall clock forwards or backwards.
        func jump(by offset: Duration) {
            self.offset += offset
            hasJumped = true
        }
    }
#endif
