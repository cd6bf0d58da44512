// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The time range of the operator's charts, and the length of their intervals.
package enum TimeRange: String, CaseIterable, Sendable {
    case hour, day, week, month

    /// The retention of counts by minute, in minutes; older counts are kept by hour.
    package static let minuteResolutionRetention: Int64 = 48 * 60
    /// The retention of counts by hour, in minutes; older counts are deleted.
    package static let kept: Int64 = 90 * 24 * 60

    /// The length of an interval, in minutes; whole hours for times whose minutes may have been merged.
    package var step: Int64 {
        switch self {
        case .hour: 1
        case .day: 10
        case .week: 60
        case .month: 360
        }
    }

    package var count: Int {
        switch self {
        case .hour: 60
        case .day: 144
        case .week: 168
        case .month: 120
        }
    }

    /// Returns the first minute of the range whose last interval contains `now`.
    package func start(at now: Timestamp) -> Int64 { (now.minute / step - Int64(count) + 1) * step }
}

extension Timestamp {
    /// The time in minutes since 1970.
    package var minute: Int64 { milliseconds / 60_000 - (milliseconds < 0 ? 1 : 0) }

    package init(minute: Int64) {
        self.init(milliseconds: minute * 60_000)
    }
}
