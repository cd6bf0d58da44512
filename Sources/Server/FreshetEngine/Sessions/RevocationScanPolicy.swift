// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides how far back a server scans the database for sessions that other processes ended.
///
/// The server that ends a session reads its clock for the time of the end before it commits, and a commit can take
/// long. Therefore a scan does not continue where the previous one stopped: it reads the last seconds again, and
/// periodically the whole window in which an end is relevant. If ends turn out to arrive late, frequent scans go
/// further back for a while.
package struct RevocationScanPolicy: Sendable {
    /// The interval between two scans.
    package static let interval = Duration.milliseconds(400)
    /// The interval between two scans of the whole window.
    package static let fullScanInterval = Duration.seconds(5)
    /// The longest pause between two scans.
    package static let longestPause = Duration.seconds(2)
    /// The time that other scans go back.
    package static let overlap = Duration.seconds(10)

    /// The time for which an end is relevant: an access token that was issued before it may be valid for this long.
    package let window: Duration
    private var lastWhole: Duration?
    private var lateness = Duration.zero
    private var anchor: (wall: Timestamp, steady: Duration)

    /// One scan.
    package struct Scan: Equatable, Sendable {
        /// The earliest time of an end that the scan reads.
        package var start: Timestamp
        /// Whether the scan covers the whole window.
        package var isFull: Bool
    }

    /// Creates a policy whose first scan covers the whole window.
    ///
    /// - Parameters:
    ///   - window: The time for which an end is relevant.
    ///   - wall: The server's clock.
    ///   - steady: A clock that never jumps.
    package init(window: Duration, wall: Timestamp, steady: Duration) {
        self.window = window
        anchor = (wall, steady)
    }

    /// Returns the scan to perform now.
    package func next(wall: Timestamp, steady: Duration) -> Scan {
        let isFull = lastWhole.map { steady - $0 >= Self.fullScanInterval } ?? true
        // A wall clock that is set forward must not hide ends with correct times.
        let now = min(wall, anchor.wall + (steady - anchor.steady))
        let reach = isFull ? window : min(window, Self.overlap + lateness * 2)
        return Scan(start: now + (.zero - reach), isFull: isFull)
    }

    /// Records a completed scan; a failed scan is repeated.
    ///
    /// - Parameters:
    ///   - scan: The scan.
    ///   - lateness: The delay between the oldest new end and its discovery.
    ///   - wall: The server's clock at the start of the scan.
    ///   - steady: The clock that never jumps, at the start of the scan.
    /// - Returns: Whether ends that no scan has found for a whole window can be removed from the cache.
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

    /// Returns the pause after a scan, so that long scans do not keep the database busy.
    ///
    /// It is limited, because other servers' ends have no effect here until the next scan.
    ///
    /// - Parameters:
    ///   - duration: How long the scan took.
    ///   - hasFailed: Whether it failed: it has then waited for the database, and not kept it busy.
    /// - Returns: The time until the next scan.
    package static func pause(after duration: Duration, hasFailed: Bool = false) -> Duration {
        hasFailed ? interval : min(max(interval, duration * 4), longestPause)
    }
}
