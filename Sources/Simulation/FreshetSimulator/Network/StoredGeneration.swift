// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// The generation of the tokens that a device stores.
    final class StoredGeneration: @unchecked Sendable {
        /// The generation that is stored; `nil` if no tokens have been.
        private(set) var current: UInt64?
        private var storedAt = Duration.zero
        /// Whether an access to the store was slow in the last time.
        private let wasSlow: (_ inLast: Duration) -> Bool

        init(wasSlow: @escaping (_ inLast: Duration) -> Bool = { _ in false }) { self.wasSlow = wasSlow }

        /// Records the generation of a record that is stored.
        func store(_ generation: UInt64) {
            guard generation != current else { return }
            current = generation
            storedAt = SimulationExecutor.shared.now
        }

        /// The generation that every process has that reads the store; `nil` if one may have read an earlier one just now.
        var settled: UInt64? {
            let simultaneity = SimulationExecutor.shared.simultaneity
            let isSettled = storedAt + simultaneity < SimulationExecutor.shared.now && !wasSlow(simultaneity)
            return isSettled ? current : nil
        }
    }
#endif
