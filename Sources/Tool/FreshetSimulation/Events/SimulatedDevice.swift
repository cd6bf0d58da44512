// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// All that is kept of a device; times are in milliseconds since the start.
struct SimulatedDevice {
    /// What the device does next.
    enum Event: UInt8 {
        /// The app comes to the foreground.
        case open
        /// The app calls its backend.
        case request
        /// The timer of a token that is due.
        case timer
        /// Another attempt, for a caller that waits.
        case retry
    }

    struct Flags: OptionSet {
        var rawValue: UInt8

        /// A caller waits for a token.
        static let isWaiting = Flags(rawValue: 1)
        /// The refresh at hand follows a 401 to a good token.
        static let isRefused = Flags(rawValue: 2)
        /// The token at hand was brought by such a refresh.
        static let isFromRefusal = Flags(rawValue: 4)
        static let sawError = Flags(rawValue: 8)
        static let waitedLong = Flags(rawValue: 16)
    }

    var user: FleetUser
    var event = Event.open
    var flags: Flags = []
    /// Failed attempts in a row.
    var failures: UInt8 = 0
    var visits: Int32 = 0
    var refreshes: UInt32 = 0
    /// When the app leaves the foreground.
    var visitEnd: Int32 = 0
    /// The token at hand: when it was asked for, until when the device uses it, and when its refresh is due.
    var askedAt: Int32 = 0
    var usableUntil: Int32 = 0
    var dueAt: Int32 = 0
    var lifetime: Int32 = 0
    /// Since when a caller waits.
    var waitingSince: Int32 = 0
    /// Until when no attempt is made: by our own pause, by the server's wish, and with nobody waiting.
    var pausedUntil: Int32 = 0
    var retryAfterUntil: Int32 = 0
    var backgroundPausedUntil: Int32 = 0
}
