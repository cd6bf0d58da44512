// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides how far back a server reads the endings that are stored in the database, to learn of those that other
/// processes made.
///
/// An ending is dated by the clock of the server that made it, before its commit, and a commit can take long. So a scan
/// never goes on where the one before stopped: it reads the last seconds again, and once in a while the whole window in
/// which an ending can matter. If endings turn out to arrive late, frequent scans reach further back for a while.
package struct RevocationScanPolicy: Sendable {
    /// Between two scans.
    package static let interval = Duration.milliseconds(400)
    /// Between two scans of the whole window.
    package static let fullScanInterval = Duration.seconds(5)
    /// How far back other scans reach.
    package static let overlap = Duration.seconds(10)

    /// How long an ending matters: an access token that was issued before it may be valid for as long.
    package let window: Duration
    private var lastWhole: Duration?
    private var lateness = Duration.zero
    private var anchor: (wall: Timestamp, steady: Duration)

    /// One scan.
    package struct Scan: Equatable, Sendable {
        /// Endings that are dated before this are not read.
        package var start: Timestamp
        /// Whether it covers the whole window.
        package var isFull: Bool
    }

    /// - Parameters:
    ///   - window: How long an ending matters.
    ///   - wall: The server's clock.
    ///   - steady: A clock that never jumps.
    package init(window: Duration, wall: Timestamp, steady: Duration) {
        self.window = window
        anchor = (wall, steady)
    }

    /// The scan to make now.
    package func next(wall: Timestamp, steady: Duration) -> Scan {
        let isFull = lastWhole.map { steady - $0 >= Self.fullScanInterval } ?? true
        // A wall clock that is set forward must not hide endings that are dated right.
        let now = min(wall, anchor.wall + (steady - anchor.steady))
        let reach = isFull ? window : min(window, Self.overlap + lateness * 2)
        return Scan(start: now + (.zero - reach), isFull: isFull)
    }

    /// Notes that a scan was completed; one that failed is simply made again.
    ///
    /// - Parameters:
    ///   - scan: The scan.
    ///   - lateness: How long before its discovery the oldest ending that was new is dated.
    ///   - wall: The server's clock at its beginning.
    ///   - steady: The clock that never jumps, at its beginning.
    /// - Returns: Whether endings that no scan has found for a whole window can be forgotten.
    package mutating func finish(_ scan: Scan, lateness: Duration, wall: Timestamp, steady: Duration) -> Bool {
        if lateness > Self.overlap / 2 {
            self.lateness = max(self.lateness, lateness)
        } else if scan.isFull {
            self.lateness = self.lateness / 2
        }
        guard scan.isFull else { return false }
        lastWhole = steady
        guard steady - anchor.steady >= window else { return false }
        anchor = (wall, steady)
        return true
    }

    /// How long to wait after a scan: one that has much to read must not keep the database busy.
    package static func pause(after duration: Duration) -> Duration { max(interval, duration * 4) }
}
