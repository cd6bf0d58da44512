// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The results of one run of a load.
package struct LoadRun: Sendable {
    package var connections: Int
    package var answers: Int
    package var errors: Int
    package var perSecond: Double
    /// CPU of the server process, for each answer.
    package var serverMicroseconds: Double?
    /// CPU of the load generator, for each answer.
    package var loadMicroseconds: Double
    package var medianMilliseconds: Double
    package var p99Milliseconds: Double
}

extension Array where Element: Comparable {
    /// The element that `part` of the others are not above.
    package func quantile(_ part: Double) -> Element? {
        isEmpty ? nil : sorted()[Int(Double(count - 1) * part)]
    }
}
