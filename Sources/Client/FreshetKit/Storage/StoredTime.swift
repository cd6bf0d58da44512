// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A time as it is stored: by the wall clock, and by the time since the system was started.
struct StoredTime: Codable, Equatable, Sendable {
    /// The time in seconds since 1970, by this device's wall clock.
    var wall: Double
    /// The time in seconds since the system was started, and the ID of that start.
    var sinceBoot: Double?
    var boot: String?

    /// Whether it is later than `moment`, which belongs to the current run of the system.
    ///
    /// A time of an earlier run is earlier.
    func isAfter(_ moment: ClockSnapshot) -> Bool {
        guard let sinceBoot, let boot, let time = moment.boot else { return wall > moment.wall.timeIntervalSince1970 }
        return boot == time.boot && sinceBoot > time.elapsed.inSeconds
    }
}

extension StoredTime {
    init(_ moment: ClockSnapshot) {
        self.init(
            wall: moment.wall.timeIntervalSince1970,
            sinceBoot: moment.boot?.elapsed.inSeconds,
            boot: moment.boot?.boot
        )
    }
}
