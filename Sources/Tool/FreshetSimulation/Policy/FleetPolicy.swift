// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import FreshetKit

/// A refresh policy of clients and server, with the clients' behaviour after failures.
package struct FleetPolicy: Sendable {
    package var name: String
    /// The difference from the previous policy, in a few words.
    package var summary: String
    /// The lifetime of access tokens.
    package var lifetime: Duration
    /// The maximum share by which the server shortens a lifetime at random.
    ///
    /// Above 0, the server also states a time for the next refresh.
    package var spread: Double
    /// The schedule of refreshes before expiry; `nil` to refresh only when a caller waits.
    package var schedule: RefreshSchedule?
    package var retry: RetryRule
    /// The timeout of an attempt, and that of a caller for all attempts.
    package var attemptTimeout: Duration
    package var callerTimeout: Duration
    package var honoursRetryAfter: Bool
    /// The range of Retry-After values of an overloaded server, in seconds.
    package var waits: ClosedRange<Int>
    /// Whether the device determines expiry by its wall clock.
    package var trustsWallClock: Bool
    /// Whether a 401 to a refresh ends the session.
    package var endsOnRefusal: Bool
}

extension FleetPolicy {
    /// The defaults of the server and the SDK; the other policies use some of them.
    package struct Parts: Sendable {
        package var lifetime = Lifetimes().access
        package var spread = AdmissionLimits().jitter
        package var waits = AdmissionLimits.retryAfterSeconds
        package var refreshPolicy = RefreshPolicy()

        package init() {}
    }

    /// Returns all policies, from the simplest to Freshet's.
    ///
    /// Each policy adds one feature to the previous one.
    package static func all(_ parts: Parts = Parts()) -> [FleetPolicy] {
        let refreshPolicy = parts.refreshPolicy
        let none = FleetPolicy(
            name: "none",
            summary: "refresh when the token expires, three attempts without a pause",
            lifetime: parts.lifetime,
            spread: 0,
            schedule: nil,
            retry: .atOnce(attempts: 3),
            attemptTimeout: refreshPolicy.attemptTimeout,
            callerTimeout: refreshPolicy.callerTimeout,
            honoursRetryAfter: false,
            waits: parts.waits,
            trustsWallClock: true,
            endsOnRefusal: true
        )
        var jitter = none
        jitter.name = "jitter"
        jitter.summary = "refresh before expiry and back off, both with jitter"
        jitter.schedule = RefreshSchedule(.freshet, refreshPolicy)
        jitter.retry = .backoff(refreshPolicy.backoff, isRemembered: false)
        var spread = jitter
        spread.name = "spread"
        spread.summary = "and the server randomizes lifetimes and refresh times"
        spread.spread = parts.spread
        var retryAfter = spread
        retryAfter.name = "retry-after"
        retryAfter.summary = "and clients honour Retry-After"
        retryAfter.honoursRetryAfter = true
        var freshet = retryAfter
        freshet.name = "freshet"
        freshet.summary = "and remember failures, use their own clock, and sign out only on a final response"
        freshet.retry = .backoff(refreshPolicy.backoff, isRemembered: true)
        freshet.trustsWallClock = false
        freshet.endsOnRefusal = false
        return [none, jitter, spread, retryAfter, freshet]
    }
}
