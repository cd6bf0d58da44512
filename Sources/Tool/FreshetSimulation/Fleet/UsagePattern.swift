// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How somebody uses the app.
enum UsagePattern: UInt8, CaseIterable, Sendable {
    /// Once a day.
    case rare
    /// Some times a day.
    case regular
    /// All the time, and never for long.
    case frequent
    /// The app stays open for hours, on a desk or a wall.
    case resident

    /// How many of a hundred devices are used so.
    var percent: Int {
        switch self {
        case .rare: 30
        case .regular: 45
        case .frequent: 20
        case .resident: 5
        }
    }

    /// How often the app is opened on a day.
    var visitsPerDay: Double {
        switch self {
        case .rare: 1
        case .regular: 6
        case .frequent: 25
        case .resident: 2
        }
    }

    /// How long it stays in the foreground in the mean, in milliseconds.
    var meanVisit: Double {
        switch self {
        case .rare, .frequent: 180_000
        case .regular: 300_000
        case .resident: 4 * 3_600_000
        }
    }

    /// How much time lies between two requests of an app in the foreground, in the mean, in milliseconds.
    var requestInterval: Double { self == .resident ? 60_000 : 15_000 }

    /// The usage of whoever this chance hits.
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
