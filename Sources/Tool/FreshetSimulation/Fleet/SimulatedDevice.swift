// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The state of a device; times are in milliseconds since the start.
struct SimulatedDevice {
    /// The next event of a device.
    enum Event: UInt8 {
        /// The app comes to the foreground.
        case open
        /// The app calls its backend.
        case request
        /// A scheduled refresh is due.
        case timer
        /// Another attempt is due for a waiting caller.
        case retry
    }

    struct Flags: OptionSet {
        var rawValue: UInt8

        /// A caller waits for a token.
        static let isWaiting = Flags(rawValue: 1)
        /// The current refresh follows a 401 to a valid token.
        static let isRefused = Flags(rawValue: 2)
        /// The current token came from such a refresh.
        static let isFromRefusal = Flags(rawValue: 4)
        static let sawError = Flags(rawValue: 8)
        static let waitedLong = Flags(rawValue: 16)
    }

    var user: FleetUser
    var event = Event.open
    var flags: Flags = []
    /// The number of consecutive failed attempts.
    var failures: UInt8 = 0
    var visits: Int32 = 0
    var refreshes: UInt32 = 0
    /// The time at which the app leaves the foreground.
    var visitEnd: Int32 = 0
    /// The times of the current token: its request, its expiry on this device and its scheduled refresh.
    var askedAt: Int32 = 0
    var usableUntil: Int32 = 0
    var dueAt: Int32 = 0
    var lifetime: Int32 = 0
    /// The time at which a caller started to wait.
    var waitingSince: Int32 = 0
    /// The times before which no attempt is made: by backoff, by Retry-After, and without a waiting caller.
    var pausedUntil: Int32 = 0
    var retryAfterUntil: Int32 = 0
    var backgroundPausedUntil: Int32 = 0
}
