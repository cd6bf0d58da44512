// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetMetrics
package import Logging

/// The limits and counters that all listeners of a server share.
package struct ListenerEnvironment: Sendable {
    package var limits: RequestLimits
    /// The connections of all listeners of the process.
    package var open: OpenConnections
    package var metrics: ServerMetrics
    package var log: Logger

    package init(limits: RequestLimits, open: OpenConnections, metrics: ServerMetrics, log: Logger) {
        self.limits = limits
        self.open = open
        self.metrics = metrics
        self.log = log
    }
}
