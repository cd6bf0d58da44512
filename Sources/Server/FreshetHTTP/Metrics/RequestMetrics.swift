// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetMetrics
import FreshetWire
import NIOConcurrencyHelpers

/// Counts requests by route, status and entry, for `/metrics`.
package final class RequestMetrics: Sendable {
    private struct ResponseKey: Hashable {
        var route: String
        var statusClass: Int
    }

    private struct FastPathKey: Hashable {
        var call: FastPathRoute
        var way: FastPathEntry
    }

    private struct Series {
        var responses: [ResponseKey: Int] = [:]
        var fastPath: [FastPathKey: Int] = [:]
    }

    private static let maximumKeys = 1024

    let metrics: ServerMetrics
    private let series = NIOLockedValueBox(Series())

    package init(_ metrics: ServerMetrics) { self.metrics = metrics }

    /// Counts a response.
    ///
    /// - Parameters:
    ///   - route: The path as it was registered, so that clients cannot create series.
    ///   - status: The status code.
    ///   - span: The time since the request's head.
    func recordResponse(route: String?, status: Int, in span: Duration) {
        let route = route.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
        let key = ResponseKey(route: route, statusClass: min(max(status / 100, 0), 9))
        let counter = series.withLockedValue { series in
            if let counter = series.responses[key] { return counter }
            let counter = metrics.update {
                $0.counter("freshet_http_requests_total", [("route", route), ("status", "\(key.statusClass)xx")])
            }
            if series.responses.count < Self.maximumKeys { series.responses[key] = counter }
            return counter
        }
        metrics.update { $0.count(at: counter) }
        if status == 429 || status == 503 {
            metrics.count("freshet_requests_turned_away_total", [("route", route), ("status", "\(status)")])
        }
        if route.hasPrefix(NativePath.loginPrefix) || route == NativePath.signup {
            metrics.observe("freshet_login_seconds", span)
        }
    }

    /// Counts a request that the fast path took.
    func count(_ call: FastPathRoute, by way: FastPathEntry) {
        let key = FastPathKey(call: call, way: way)
        let counter = series.withLockedValue { series in
            if let counter = series.fastPath[key] { return counter }
            let counter = metrics.update {
                $0.counter("freshet_lane_requests_total", [("route", call.path), ("way", way.rawValue)])
            }
            series.fastPath[key] = counter
            return counter
        }
        metrics.update { $0.count(at: counter) }
    }
}
