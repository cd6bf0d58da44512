// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import SeededRandom

    /// The oscillator of a machine, by which its time runs faster or slower than the true time.
    struct Oscillator {
        /// The parts of a billion by which the machine's time runs faster than the true time.
        private let drift: Int64

        /// An oscillator of a history's machine, or an exact one.
        ///
        /// - Parameters:
        ///   - plan: The history's plan; without one, or if it has no drift, the oscillator is exact.
        ///   - machine: A number that no other machine of the history has.
        init(_ plan: HistoryPlan? = nil, machine: Int = 0) {
            guard let plan, plan.hasClockDrift else {
                drift = 0
                return
            }
            var random = SeededRandomStream(seed: plan.seed, device: machine, matter: 111)
            // Quartz is up to 100 parts of a million off, and more in the cold.
            drift = Int64(random.number(in: -200_000...200_000))
        }

        /// Returns the time that the machine measures since a true time.
        func elapsed(since start: Duration = .zero) -> Duration {
            let time = SimulationExecutor.shared.now - start
            return drift == 0 ? time : time + difference(of: time)
        }

        /// The difference between the machine's time and the true one.
        var deviation: Duration { drift == 0 ? .zero : difference(of: SimulationExecutor.shared.now) }

        /// Returns a true time in which the machine measures a time, or little more.
        func trueTime(of time: Duration) -> Duration {
            // The square of the drift is less than a part of ten millions.
            drift == 0 ? time : time - difference(of: time) + time / 10_000_000 + .microseconds(1)
        }

        /// Returns the longest difference between a time that a machine measures and the true one.
        static func tolerance(of time: Duration) -> Duration { time / 5000 }

        private func difference(of time: Duration) -> Duration {
            .nanoseconds(time.wholeNanoseconds / 1_000_000 * drift / 1000)
        }
    }
#endif
