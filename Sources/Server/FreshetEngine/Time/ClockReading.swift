// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The server's time at one moment, and its reliability.
package struct ClockReading: Equatable, Sendable {
    /// The time within which decisions use the age of a stored change: W of plain mode (PROTOCOL.md).
    package static let window = Duration.seconds(60)

    /// The time for all decisions, stored times and signed times.
    package var now: Timestamp
    /// Whether a response may be final because of a time.
    ///
    /// If not, the response for a session, code or proof that has expired by ``now`` is 503 instead of a final refusal.
    package var isTrusted: Bool
    /// Whether the clock has been trusted for the ``window``.
    ///
    /// If not, a time that was stored within the window may be of another clock, and its age is unknown.
    package var isWindowTrusted: Bool
    /// The earliest possible time: by every clock, an expiry before this time has passed.
    package var earliest: Timestamp
    /// The time before which expired rows may be deleted; the epoch while the clock is not trusted, so that none are.
    package var deletionLimit: Timestamp { isTrusted ? now : Timestamp(milliseconds: 0) }
    /// The latest possible time: an expiry computed from it is not too early, whichever clock is right.
    package var latest: Timestamp

    package init(
        now: Timestamp,
        isTrusted: Bool,
        isWindowTrusted: Bool = false,
        earliest: Timestamp,
        latest: Timestamp
    ) {
        self.now = now
        self.isTrusted = isTrusted
        self.isWindowTrusted = isTrusted && isWindowTrusted
        self.earliest = earliest
        self.latest = latest
    }

    /// Returns a reading of a trusted clock.
    package static func trusted(_ now: Timestamp, isWindowTrusted: Bool = true) -> ClockReading {
        ClockReading(now: now, isTrusted: true, isWindowTrusted: isWindowTrusted, earliest: now, latest: now)
    }
}
