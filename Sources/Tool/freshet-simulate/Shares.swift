// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers

/// The simulated share of each policy's run.
final class Shares: Sendable {
    private let values: NIOLockedValueBox<[Double]>

    init(_ count: Int) { values = NIOLockedValueBox(Array(repeating: 0, count: count)) }

    func set(_ share: Double, of number: Int) { values.withLockedValue { $0[number] = share } }

    /// The share of all runs, in percent.
    var percent: Int {
        values.withLockedValue { $0.isEmpty ? 0 : Int($0.reduce(0, +) / Double($0.count) * 100) }
    }
}
