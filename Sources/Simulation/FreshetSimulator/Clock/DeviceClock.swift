// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    package import FreshetKit

    /// The clocks of a device, and its sleep: while it sleeps, no process of it goes on, receives or sends.
    ///
    /// Its processes measure time by a clock that includes sleep and runs at the rate of the device's oscillator. A wall clock,
    /// which the user can set, runs at the same rate.
    package final class DeviceClock: @unchecked Sendable {
        /// The difference between the wall clock and the true time, apart from the drift.
        var offset = Duration.zero
        private let oscillator: Oscillator
        /// The true time at which the device was started last, and the number of its starts.
        private var (bootedAt, boots) = (Duration.zero, 1)
        /// The true time at which the device wakes up, or woke up last.
        private(set) var wakeTime = Duration.zero
        /// The number of times that it fell asleep.
        private(set) var sleeps = 0
        /// The deliveries to processes once the device is awake, in this order.
        private var held: [() -> Void] = []

        init(_ oscillator: Oscillator) { self.oscillator = oscillator }

        /// The clocks of a device whose oscillator is exact.
        package convenience init() { self.init(Oscillator()) }

        // MARK: - Time

        /// The clocks as a process sees them that starts now.
        package func sessionClock() -> SessionClock {
            let start = SimulationExecutor.shared.now
            return SessionClock(
                now: { [oscillator] in oscillator.elapsed(since: start) },
                wall: { [self] in Date().addingTimeInterval((offset + oscillator.deviation) / .seconds(1)) },
                boot: { [self] in BootTime(boot: "\(boots)", elapsed: oscillator.elapsed(since: bootedAt)) },
                sleep: { [self] deadline in try await sleep(since: start, until: deadline) },
                chance: { Double.random(in: 0..<1) }
            )
        }

        /// The time after which a timer of a device that sleeps checks whether it still does.
        private static let longestWait = Duration.seconds(600)

        private func sleep(since start: Duration, until deadline: Duration) async throws {
            while true {
                let left = deadline - oscillator.elapsed(since: start)
                if left <= .zero, !isAsleep { return try Task.checkCancellation() }
                // A device that is started again wakes up earlier.
                let asleep = min(sleepLeft, Self.longestWait)
                try await ContinuousClock().sleep(for: max(oscillator.trueTime(of: left), asleep))
            }
        }

        // MARK: - Sleep

        var isAsleep: Bool { SimulationExecutor.shared.now < wakeTime }

        /// The time until the device wakes up.
        var sleepLeft: Duration { max(wakeTime - SimulationExecutor.shared.now, .zero) }

        /// Whether the device was asleep at some moment of the last time.
        func wasAsleep(inLast time: Duration) -> Bool { sleeps > 0 && SimulationExecutor.shared.now - time < wakeTime }

        /// The device sleeps for some time from now on, or for longer.
        package func fallAsleep(for time: Duration) {
            sleeps += 1
            wakeTime = max(wakeTime, SimulationExecutor.shared.now + time)
        }

        /// The device wakes up, if it sleeps.
        func wakeUp() {
            guard isAsleep else { return }
            wakeTime = SimulationExecutor.shared.now
            deliverHeld()
        }

        /// The device is started again.
        func boot() {
            boots += 1
            bootedAt = SimulationExecutor.shared.now
            wakeUp()
        }

        /// Runs `action` now, or once the device is awake.
        package func whenAwake(_ action: @escaping () -> Void) {
            guard isAsleep || !held.isEmpty else { return action() }
            held.append(action)
            if held.count == 1 { scheduleDelivery() }
        }

        private func scheduleDelivery() {
            SimulationExecutor.shared.schedule(after: sleepLeft) { [self] in
                if isAsleep { scheduleDelivery() } else { deliverHeld() }
            }
        }

        private func deliverHeld() {
            let actions = held
            held = []
            for action in actions { action() }
        }

        /// Waits until the device is awake.
        func awake() async {
            while isAsleep {
                await withCheckedContinuation { continuation in
                    SimulationExecutor.shared.schedule(after: sleepLeft) { continuation.resume() }
                }
            }
        }
    }
#endif
