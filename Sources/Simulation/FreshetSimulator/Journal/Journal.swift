// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// The events of one history: their fingerprint, and the violations of its invariants.
    final class Journal: @unchecked Sendable {
        private let print: ((String) -> Void)?
        /// FNV-1a of all events and their times: equal histories have equal ones.
        private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
        /// Each once.
        private(set) var violations: [String] = []

        init(print: ((String) -> Void)? = nil) { self.print = print }

        func note(_ event: String) {
            let time = SimulationExecutor.shared.now
            for byte in "\(time.wholeNanoseconds) \(event)".utf8 {
                fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01B3
            }
            print?("\(time.components.seconds) s: \(event)")
        }

        func violation(_ description: String) {
            if !violations.contains(description) { violations.append(description) }
            note("VIOLATION: \(description)")
        }
    }
#endif
