// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a run counts.
struct FleetCounters {
    /// What became of an attempt.
    enum Attempt {
        case granted
        /// Answered after the device had lost its patience with the connection.
        case late
        case unavailable
        case lost
        case refused
    }

    /// Attempts in each second.
    private(set) var attempts: [UInt32]
    private(set) var granted = 0
    private(set) var late = 0
    private(set) var unavailable = 0
    private(set) var lost = 0
    private(set) var refused = 0
    /// Callers who got an error.
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
