// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The limits of concurrent work; requests beyond them get 503 or 429 with a Retry-After.
package struct AdmissionLimits: Sendable {
    /// The number of requests that are being read or answered.
    package var requests = 8000
    /// The number of queued database writes.
    package var writes = 4096
    /// The number of connections.
    package var connections = 20_000
    /// Connections of one network, an IPv4 address or an IPv6 /64; loopback and a proxy have no limit but the one for all.
    package var connectionsPerSource = 256
    /// Connections of one address block, an IPv4 /24 or an IPv6 /48: eight networks' share, a quarter of all at most.
    package var connectionsPerBlock: Int { max(connectionsPerSource, min(8 * connectionsPerSource, connections / 4)) }
    /// The number of connections reserved for networks without one: the last tenth.
    package var reservedConnections: Int { connections / 10 }
    /// Refreshes of one session from one network: a client in a loop waits a second each time.
    package var sessionRateLimit = RateLimit(capacity: 200, interval: .seconds(1))
    /// Refreshes from one network (an IPv4 address, or an IPv6 /64); loopback and a proxy have no limit.
    package var sourceRateLimit = RateLimit(capacity: 1000, interval: .milliseconds(10))
    /// For tests: whether loopback is limited like any other address.
    package var countsLoopback = false
    /// The largest random reduction of an access token's lifetime, as a share, so that simultaneous sign-ins do not
    /// refresh simultaneously.
    package var jitter = 0.1
    /// The range of the random Retry-After of an overloaded server, in seconds.
    package static let retryAfterSeconds = 1...4

    package init() {}

    /// For a listener of operators or of metrics: few connections, whose descriptors are part of the reserve.
    package static var operators: AdmissionLimits {
        var limits = AdmissionLimits()
        limits.connections = 64
        limits.connectionsPerSource = 32
        return limits
    }
}
