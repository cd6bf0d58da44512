// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers

/// The counters and histograms of a server, for `/metrics`.
///
/// Label values come from small closed sets, regardless of a client's input.
package final class ServerMetrics: Sendable {
    /// The upper bounds of the histograms' buckets, in seconds.
    ///
    /// They start below a millisecond, because a refresh takes less than a millisecond.
    package static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let table = NIOLockedValueBox(MetricTable(bounds: ServerMetrics.bounds))

    package init() {}

    /// All metrics recorded so far.
    package var samples: PrometheusSamples { table.withLockedValue { $0 }.samples() }

    /// The metrics of the series that have counted something; most of the series begin at zero.
    package var usedSamples: PrometheusSamples { table.withLockedValue { $0 }.samples(omittingUnused: true) }

    /// All metrics recorded so far, in Prometheus' text format.
    package var text: String { samples.text }

    /// Adds to a counter, which begins at zero.
    package func count(_ name: String, _ labels: [(String, String)] = [], by amount: Double = 1) {
        table.withLockedValue { $0.count(name, labels, by: amount) }
    }

    /// Adds a duration to a histogram.
    package func observe(_ name: String, _ span: Duration, _ labels: [(String, String)] = []) {
        table.withLockedValue { $0.observe(name, span.inSeconds, labels) }
    }

    /// Changes several series under one lock.
    package func update<Value>(_ body: (inout MetricTable) -> Value) -> Value {
        table.withLockedValue { body(&$0) }
    }
}

extension Duration {
    /// The duration in seconds.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
