// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The counters of a run.
struct FleetCounters {
    /// The result of an attempt.
    enum Attempt {
        case granted
        /// The attempt was answered after the device's timeout.
        case late
        case unavailable
        case lost
        case refused
    }

    /// The number of attempts in each second.
    private(set) var attempts: [UInt32]
    private(set) var granted = 0
    private(set) var late = 0
    private(set) var unavailable = 0
    private(set) var lost = 0
    private(set) var refused = 0
    /// The number of callers that received an error.
    var errors = 0
    var signedOut = 0

    init(span: Int) {
        attempts = Array(repeating: 0, count: (span + 999) / 1000)
    }

    mutating func count(_ attempt: Attempt, at time: Int) {
        attempts[min(time / 1000, attempts.count - 1)] += 1
        switch attempt {
        case .granted: granted += 1
        case .late: late += 1
        case .unavailable: unavailable += 1
        case .lost: lost += 1
        case .refused: refused += 1
        }
    }
}
