// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The frequency of app launches by local hour of the day.
enum DiurnalCurve {
    private static let hours: [Double] = [
        0.50, 0.30, 0.20, 0.15, 0.15, 0.30, 0.70, 1.10, 1.20, 1.10, 1.10, 1.20,
        1.40, 1.30, 1.10, 1.10, 1.20, 1.30, 1.50, 1.70, 1.90, 1.80, 1.40, 0.90,
    ]

    private static let mean = hours.reduce(0, +) / Double(hours.count)

    /// The maximum of ``weight(at:)``.
    static let largest = (hours.max() ?? 1) / mean

    /// Returns the frequency of launches at a time of day, relative to the daily mean.
    static func weight(at milliseconds: Double) -> Double {
        let hour = milliseconds / 3_600_000
        let whole = hour.rounded(.down)
        let index = ((Int(whole) % 24) + 24) % 24
        let (this, next) = (hours[index], hours[(index + 1) % 24])
        return (this + (next - this) * (hour - whole)) / mean
    }

    /// The time zones of users: offset from UTC in hours, and percentage of users.
    private static let zones: [(offset: Int8, percent: Double)] = [
        (-8, 10), (-5, 25), (0, 10), (1, 25), (5, 15), (8, 15),
    ]

    /// Returns the time zone for a random number from 0 to 1.
    static func zone(_ share: Double) -> Int8 {
        var percent = share * 100
        for zone in zones {
            percent -= zone.percent
            if percent < 0 { return zone.offset }
        }
        return 0
    }
}
