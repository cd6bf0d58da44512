// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetHTTP
package import FreshetIdentity

/// The operator's settings for running the server, as opposed to those of the service.
package struct OperationsConfiguration: Sendable {
    /// The address on which `/metrics` is served; `nil` for none.
    package var metrics: ListenAddress?
    /// Whether `X-Request-Id` is accepted from requests: only behind a proxy that sets it.
    package var trustsRequestID = false
    package var retention = RetentionConfiguration()
    /// The maximum number of events in the audit queue.
    package var auditQueue = 10_000
    package var admission = AdmissionLimits()
    /// The time that a shutdown waits for requests in progress before it closes their connections.
    package var drain = Duration.seconds(10)
    package var tls: TLSFiles?
    /// Whether frequent requests bypass the router.
    package var hasFastPath = true
    /// Whether all requests come from a proxy that terminates TLS.
    package var isBehindProxy = false
    /// Whether tokens may be sent over a network unencrypted.
    package var allowsInsecureListening = false

    package init() {}
}
