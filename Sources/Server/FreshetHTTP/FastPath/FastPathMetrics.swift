// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetMetrics
import NIOConcurrencyHelpers

/// Counts the requests that took the fast path, by route and entry.
final class FastPathMetrics: Sendable {
    private struct Key: Hashable {
        var route: FastPathRoute
        var entry: FastPathEntry
    }

    private let metrics: ServerMetrics
    /// The counters of requests seen so far, in the metrics' table.
    private let counters = NIOLockedValueBox<[Key: Int]>([:])

    init(_ metrics: ServerMetrics) { self.metrics = metrics }

    /// Counts a request that the fast path took.
    func count(_ route: FastPathRoute, by entry: FastPathEntry) {
        let key = Key(route: route, entry: entry)
        let counter = counters.withLockedValue { counters in
            if let counter = counters[key] { return counter }
            let counter = metrics.update {
                $0.counter("freshet_lane_requests_total", [("route", route.path), ("way", entry.rawValue)])
            }
            counters[key] = counter
            return counter
        }
        metrics.update { $0.count(at: counter) }
    }
}
