// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The limits of concurrent work; requests beyond them get 503 or 429 with a Retry-After.
package struct AdmissionLimits: Sendable {
    /// The maximum number of requests in progress.
    package var requests = 8000
    /// The maximum number of queued database writes.
    package var writes = 4096
    /// The maximum number of connections.
    package var connections = 20_000
    /// The maximum number of connections of one network, an IPv4 address or an IPv6 /64.
    ///
    /// Loopback and a proxy have only the limit of all connections.
    package var connectionsPerSource = 256
    /// The maximum number of connections of one address block, an IPv4 /24 or an IPv6 /48.
    ///
    /// Eight times the limit of a network, but at most a quarter of all connections.
    package var connectionsPerBlock: Int { max(connectionsPerSource, min(8 * connectionsPerSource, connections / 4)) }
    /// The number of connections reserved for networks that have none yet: a tenth.
    package var reservedConnections: Int { connections / 10 }
    /// The limit of refreshes of one session from one network.
    ///
    /// A client that refreshes in a loop is limited to one refresh per second.
    package var sessionRateLimit = RateLimit(capacity: 200, interval: .seconds(1))
    /// The limit of refreshes from one network, an IPv4 address or an IPv6 /64; loopback and a proxy have none.
    package var sourceRateLimit = RateLimit(capacity: 1000, interval: .milliseconds(10))
    /// Whether loopback is limited like any other address, for tests.
    package var countsLoopback = false
    /// The maximum random reduction of an access token's lifetime, as a fraction.
    ///
    /// It prevents simultaneous sign-ins from causing simultaneous refreshes.
    package var jitter = 0.1
    /// The range of the random Retry-After of an overloaded server, in seconds.
    package static let retryAfterSeconds = 1...4

    package init() {}

    /// The limits of a listener for operators or metrics: few connections, whose descriptors are part of the reserve.
    package static var operators: AdmissionLimits {
        var limits = AdmissionLimits()
        limits.connections = 64
        limits.connectionsPerSource = 32
        return limits
    }
}
