// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetHTTP
package import FreshetIdentity
package import FreshetMetrics
package import ServiceLifecycle

/// The threads and the storage that a server uses; a simulation replaces them.
package struct ServerEnvironment: Sendable {
    /// Opens the server's database, and calls the last parameter with the reason when opening takes long.
    package var openDatabase:
        @Sendable (ServerConfiguration, ServerMetrics, (StartupProgress) -> Void) throws -> any ServerDatabase = {
            try $0.openDatabase($1, onProgress: $2)
        }
    /// Hashes passwords and reloads keys; `nil` for threads of their own.
    package var executor: BlockingExecutor?
    /// Receives what the session registry commits; `nil` outside of simulations.
    package var sessionObserver: SessionObserver?
    /// Receive every server event, after the server's own listeners.
    package var eventListeners: [ServerEvents.Listener] = []
    /// Refuses access tokens that are valid otherwise; `nil` in production.
    package var accessTokenCheck: AccessTokenCheck?
    /// The interval between two comparisons of the clocks.
    package var clockInterval = ClockMonitor.interval
    /// Whether the server runs a service that maintains keys, database or clock; a test leaves out one that it races.
    package var runsService: @Sendable (any Service) -> Bool = { _ in true }
    /// The number of token buckets that the rate limiter keeps in memory.
    package var rateLimiterCapacity = 262_144

    package init() {}
}
