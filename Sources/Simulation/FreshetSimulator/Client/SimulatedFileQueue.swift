// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetOutbox
    import SeededRandom

    /// The queue of a process's file operations: they run one after the other, and fail once the process has ended.
    final class SimulatedFileQueue: @unchecked Sendable {
        private var operations: [@Sendable (Bool) -> Void] = []
        private var isActive = true
        private var random: SeededRandomStream
        private let clock: DeviceClock

        init(seed: UInt64, _ clock: DeviceClock) {
            random = SeededRandomStream(seed: seed, device: 2, matter: 20)
            self.clock = clock
        }

        var executor: OutboxExecutor { OutboxExecutor(threads: 1) { [self] in enqueue($0) } }

        /// Fails all operations that have not run.
        func close() { isActive = false }

        private func enqueue(_ operation: @escaping @Sendable (Bool) -> Void) {
            operations.append(operation)
            if operations.count == 1 { scheduleFirst() }
        }

        private func scheduleFirst() {
            SimulationExecutor.shared.schedule(after: .microseconds(random.number(in: 100...5000))) { [self] in
                clock.whenAwake { [self] in
                    operations[0](isActive)
                    operations.removeFirst()
                    if !operations.isEmpty { scheduleFirst() }
                }
            }
        }
    }
#endif
