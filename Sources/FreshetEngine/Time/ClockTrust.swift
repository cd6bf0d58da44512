// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Whether the wall clock may be believed when it says that something is long over.
///
/// Deleting is for good, so it waits while the clock has just jumped: until it is back where it was, or has run evenly for
/// so long that the jump must have been a correction.
package struct ClockTrust: Equatable, Sendable {
    /// A jump of more than this is one.
    package static let bound = Duration.seconds(300)
    /// How long a clock must run evenly after a jump.
    package static let settling = Duration.seconds(3600)

    /// A moment by both clocks.
    private struct Mark: Equatable, Sendable {
        var wall: Timestamp
        var steady: Duration
    }

    /// What the wall clock is believed to have shown.
    private var trusted: Mark
    /// Since when the clock runs evenly, after a jump.
    private var suspicion: Mark?

    /// - Parameters:
    ///   - wall: The wall clock's moment.
    ///   - steady: A clock's that never jumps.
    ///   - lastSeen: What the wall clock showed when it was last believed, in an earlier run.
    package init(wall: Timestamp, steady: Duration, lastSeen: Timestamp? = nil) {
        trusted = Mark(wall: wall, steady: steady)
        guard let lastSeen else { return }
        // A server may have been down for a while; what it cannot have been is in the future.
        guard lastSeen - wall > Self.bound || wall - lastSeen > Self.longestAbsence else { return }
        suspicion = trusted
        trusted.wall = lastSeen
    }

    /// A server that was away for longer has its clock looked at for a while first.
    package static let longestAbsence = Duration.seconds(7 * 86_400)

    package var isTrusted: Bool { suspicion == nil }

    /// Takes a look at both clocks.
    ///
    /// - Returns: how far the wall clock has jumped since the last look, if it has.
    package mutating func look(wall: Timestamp, steady: Duration) -> Duration? {
        let expected = trusted.wall + (steady - trusted.steady)
        if abs(wall - expected) <= Self.bound {
            trusted = Mark(wall: wall, steady: steady)
            suspicion = nil
            return nil
        }
        guard let since = suspicion else {
            suspicion = Mark(wall: wall, steady: steady)
            return wall - expected
        }
        let drift = wall - (since.wall + (steady - since.steady))
        guard abs(drift) <= Self.bound else {
            suspicion = Mark(wall: wall, steady: steady)
            return drift
        }
        if steady - since.steady >= Self.settling {
            trusted = Mark(wall: wall, steady: steady)
            suspicion = nil
        }
        return nil
    }

    private func abs(_ span: Duration) -> Duration { span < .zero ? .zero - span : span }
}
