// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A user's usage of the app.
enum UsagePattern: UInt8, CaseIterable, Sendable {
    /// Once a day.
    case rare
    /// A few times a day.
    case regular
    /// Very often, and never for long.
    case frequent
    /// The app stays open for hours, as on a desktop or a wall display.
    case resident

    /// The percentage of devices with this usage.
    var percent: Int {
        switch self {
        case .rare: 30
        case .regular: 45
        case .frequent: 20
        case .resident: 5
        }
    }

    /// The number of launches per day.
    var visitsPerDay: Double {
        switch self {
        case .rare: 1
        case .regular: 6
        case .frequent: 25
        case .resident: 2
        }
    }

    /// The mean length of a visit, in milliseconds.
    var meanVisit: Double {
        switch self {
        case .rare, .frequent: 180_000
        case .regular: 300_000
        case .resident: 4 * 3_600_000
        }
    }

    /// The mean interval between two requests in the foreground, in milliseconds.
    var requestInterval: Double { self == .resident ? 60_000 : 15_000 }

    /// Creates the usage for a random number from 0 to 1.
    init(_ share: Double) {
        var percent = share * 100
        for usage in Self.allCases {
            percent -= Double(usage.percent)
            if percent < 0 {
                self = usage
                return
            }
        }
        self = .resident
    }
}
