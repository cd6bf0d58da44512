// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Glibc

/// The CPU time that a process has used in all of its threads, those that ended included.
///
/// /proc/PID/stat counts in ticks of a hundredth of a second; this clock counts in nanoseconds.
package struct CPUClock: Sendable {
    private let id: clockid_t

    /// The clock of this process.
    package static let own = CPUClock(id: CLOCK_PROCESS_CPUTIME_ID)

    private init(id: clockid_t) { self.id = id }

    /// - Returns: `nil` if there is no such process.
    package init?(process: Int32) {
        var id = clockid_t()
        guard clock_getcpuclockid(process, &id) == 0 else { return nil }
        self.id = id
    }

    /// Microseconds of CPU since the process began.
    package var microseconds: Double {
        var time = timespec()
        clock_gettime(id, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}

/// Seconds that go by, on a clock that nobody sets.
package func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
