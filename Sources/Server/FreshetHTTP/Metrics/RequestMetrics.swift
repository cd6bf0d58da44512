// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetMetrics
import FreshetWire
import NIOConcurrencyHelpers

/// Counts responses by route and status, for `/metrics`.
package final class RequestMetrics: Sendable {
    private struct ResponseKey: Hashable {
        var route: String
        var statusClass: Int
    }

    private static let maximumKeys = 1024
    /// The status codes of requests that limits refuse.
    private static let refusals = [429, 503]

    let metrics: ServerMetrics
    /// The counters of responses seen so far, in the metrics' table.
    private let counters = NIOLockedValueBox<[ResponseKey: Int]>([:])

    package init(_ metrics: ServerMetrics) {
        self.metrics = metrics
        // These start at zero: an alert on a counter that does not exist yet would miss its first increment.
        metrics.count("freshet_accept_failures_total", by: 0)
        for status in Self.refusals { countRefusal(route: "none", status: status, by: 0) }
    }

    /// Counts a response.
    ///
    /// - Parameters:
    ///   - route: The path as it was registered, so that clients cannot create series.
    ///   - status: The status code.
    ///   - span: The time since the request's head.
    func recordResponse(route: String?, status: Int, in span: Duration) {
        let route = route.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
        let key = ResponseKey(route: route, statusClass: min(max(status / 100, 0), 9))
        let counter = counters.withLockedValue { counters in
            if let counter = counters[key] { return counter }
            let counter = metrics.update {
                $0.counter("freshet_http_requests_total", [("route", route), ("status", "\(key.statusClass)xx")])
            }
            if counters.count < Self.maximumKeys { counters[key] = counter }
            return counter
        }
        metrics.update { $0.count(at: counter) }
        if Self.refusals.contains(status) { countRefusal(route: route, status: status) }
        if route.hasPrefix(NativePath.loginPrefix) || route == NativePath.signup {
            metrics.observe("freshet_login_seconds", span)
        }
    }

    private func countRefusal(route: String, status: Int, by amount: Double = 1) {
        metrics.count("freshet_requests_turned_away_total", [("route", route), ("status", "\(status)")], by: amount)
    }
}
