// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A time as it is stored: by the wall clock, and by the time since the system was started.
struct StoredTime: Codable, Equatable, Sendable {
    /// The time in seconds since 1970, by this device's wall clock.
    var wall: Double
    /// The time in seconds since the system was started, and the ID of that start.
    var sinceBoot: Double?
    var boot: String?
}
