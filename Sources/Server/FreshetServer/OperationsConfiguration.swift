// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetHTTP
import FreshetIdentity

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
    package var admission = AdmissionLimits()
    /// How long a shutdown waits for requests under way before it closes their connections.
    package var drain = Duration.seconds(10)
    package var tls: TLSFiles?
    /// Whether frequent requests are answered without the router.
    package var hasFastPath = true
    /// Whether something in front of this server speaks TLS, and every request comes from there.
    package var isBehindProxy = false
    /// Whether tokens may cross a network in the clear.
    package var allowsInsecureListening = false

    package init() {}

    /// What is deleted after how long.
    var cleanup: RetentionConfiguration {
        RetentionConfiguration(events: retention, endedSessions: endedSessions, cleaningInterval: cleaningInterval)
    }
}
