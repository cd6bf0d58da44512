// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine

/// What an operator decides about running the server, apart from what it serves.
package struct OperationsConfiguration: Sendable {
    /// Where `/metrics` is answered; `nil` for nowhere.
    package var metrics: ListenAddress?
    /// Whether `X-Request-Id` is taken from requests: only behind a proxy that sets it.
    package var trustsRequestID = false
    package var retention = AuditRetention()
    /// Events that wait to be written.
    package var auditQueue = 10_000
    /// For how long a session is kept after its end, so that its user can be told why it ended.
    package var endedSessions = Duration.seconds(90 * 86_400)
    /// How often is cleaned up.
    package var cleaningInterval = Duration.seconds(300)
    package var load = LoadLimits()
    package var tls: TLSFiles?
    /// Whether something in front of this server speaks TLS, and every request comes from there.
    package var isBehindProxy = false
    /// Whether tokens may cross a network in the clear.
    package var allowsInsecureListening = false

    package init() {}
}

/// A certificate chain and its key, as files in PEM.
package struct TLSFiles: Equatable, Sendable {
    package var certificate: URL
    package var key: URL

    package init(certificate: URL, key: URL) {
        self.certificate = certificate
        self.key = key
    }
}

/// How much is taken on at one time; what is more is answered with 503 or 429 and told when to come back.
package struct LoadLimits: Sendable {
    /// Requests that are being read or answered.
    package var requests = 8000
    /// Writes that wait for the database.
    package var writes = 4096
    /// Connections in all.
    package var connections = 20_000
    /// Connections of one address; loopback and a proxy have no limit but the one for all.
    package var connectionsPerSource = 256
    /// Refreshes of one session from one address: a client that is caught in a loop waits a second each time.
    package var sessionBudget = AttemptBudget(capacity: 200, interval: .seconds(1))
    /// Refreshes from one address; loopback and a proxy have no limit.
    package var sourceBudget = AttemptBudget(capacity: 1000, interval: .milliseconds(10))
    /// For tests: whether loopback is an address like any other.
    package var countsLoopback = false
    /// How much of an access token's life may be taken off by chance, so that a crowd that came together leaves apart.
    package var jitter = 0.05

    package init() {}
}
