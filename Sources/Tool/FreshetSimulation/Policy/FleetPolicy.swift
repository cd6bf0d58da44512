// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import FreshetKit

/// How clients and the server keep access tokens fresh, and what clients do when that fails.
package struct FleetPolicy: Sendable {
    package var name: String
    /// What is new in it, in a few words.
    package var summary: String
    /// An access token's life.
    package var lifetime: Duration
    /// How much of a life the server takes off by chance; it names a moment for the next refresh where there is any.
    package var spread: Double
    /// When tokens are refreshed ahead of their end; `nil` for never: somebody then waits for each refresh.
    package var schedule: RefreshSchedule?
    package var retry: RetryRule
    /// How long an attempt may take, and how long a caller waits for all attempts.
    package var deadline: Duration
    package var patience: Duration
    package var honoursRetryAfter: Bool
    /// What a full server asks for by `Retry-After`, in seconds.
    package var waits: ClosedRange<Int>
    /// Whether the device's wall clock tells when a token is over.
    package var trustsWallClock: Bool
    /// Whether a 401 to a refresh ends the session.
    package var endsOnRefusal: Bool
}

extension FleetPolicy {
    /// What the server and the SDK have of it for themselves; the other policies take pieces of it.
    package struct Parts: Sendable {
        package var lifetime = Lifetimes().access
        package var spread = AdmissionLimits().jitter
        package var waits = AdmissionLimits.retryAfterSeconds
        package var configuration = SessionConfiguration()

        package init() {}
    }

    /// All policies, from the plainest to ours: each has what the one before has, and one thing more.
    package static func all(_ parts: Parts = Parts()) -> [FleetPolicy] {
        let configuration = parts.configuration
        let none = FleetPolicy(
            name: "none",
            summary: "refresh at the token's end, three attempts at once",
            lifetime: parts.lifetime,
            spread: 0,
            schedule: nil,
            retry: .atOnce(attempts: 3),
            deadline: configuration.refreshDeadline,
            patience: configuration.patience,
            honoursRetryAfter: false,
            waits: parts.waits,
            trustsWallClock: true,
            endsOnRefusal: true
        )
        var jitter = none
        jitter.name = "jitter"
        jitter.summary = "refresh ahead and back off, both by chance"
        jitter.schedule = RefreshSchedule(.freshet, configuration)
        jitter.retry = .backoff(configuration.backoff, isRemembered: false)
        var spread = jitter
        spread.name = "spread"
        spread.summary = "and the server spreads lives and refreshes"
        spread.spread = parts.spread
        var retryAfter = spread
        retryAfter.name = "retry-after"
        retryAfter.summary = "and clients honour Retry-After"
        retryAfter.honoursRetryAfter = true
        var freshet = retryAfter
        freshet.name = "freshet"
        freshet.summary = "and remember failures, count time themselves, sign nobody out"
        freshet.retry = .backoff(configuration.backoff, isRemembered: true)
        freshet.trustsWallClock = false
        freshet.endsOnRefusal = false
        return [none, jitter, spread, retryAfter, freshet]
    }
}
