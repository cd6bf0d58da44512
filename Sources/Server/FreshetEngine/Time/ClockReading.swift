// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The server's time at one moment, and how far it can be relied on.
package struct ClockReading: Equatable, Sendable {
    /// The time of every decision, and of everything that is written or signed.
    package var now: Timestamp
    /// Whether an answer may be final because of a time.
    ///
    /// Without trust a session, code or proof that is over by ``now`` is answered by 503, not by a final refusal.
    package var isTrusted: Bool
    /// The earliest time that it can be: an expiry before it has passed by every clock.
    package var earliest: Timestamp
    /// The expiry before which rows may be deleted; the epoch while the clock is not trusted, so that none are.
    package var deletionLimit: Timestamp { isTrusted ? now : Timestamp(milliseconds: 0) }
    /// The latest time that it can be: an end counted from it is not too early, whichever clock is right.
    package var latest: Timestamp

    package init(now: Timestamp, isTrusted: Bool, earliest: Timestamp, latest: Timestamp) {
        self.now = now
        self.isTrusted = isTrusted
        self.earliest = earliest
        self.latest = latest
    }

    /// A reading of a clock that is trusted.
    package static func trusted(_ now: Timestamp) -> ClockReading {
        ClockReading(now: now, isTrusted: true, earliest: now, latest: now)
    }
}
