// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How much is taken on at one time; what is more is answered with 503 or 429 and told when to come back.
package struct AdmissionLimits: Sendable {
    /// Requests that are being read or answered.
    package var requests = 8000
    /// Writes that wait for the database.
    package var writes = 4096
    /// Connections in all.
    package var connections = 20_000
    /// Connections of one network, an IPv4 address or an IPv6 /64; loopback and a proxy have no limit but the one for all.
    package var connectionsPerSource = 256
    /// Connections of one address block, an IPv4 /24 or an IPv6 /48: eight networks' share, a quarter of all at most.
    package var connectionsPerBlock: Int { max(connectionsPerSource, min(8 * connectionsPerSource, connections / 4)) }
    /// Connections that only networks without any get: the last tenth.
    package var reservedConnections: Int { connections / 10 }
    /// Refreshes of one session from one network: a client that is caught in a loop waits a second each time.
    package var sessionRateLimit = RateLimit(capacity: 200, interval: .seconds(1))
    /// Refreshes from one network (an IPv4 address, or an IPv6 /64); loopback and a proxy have no limit.
    package var sourceRateLimit = RateLimit(capacity: 1000, interval: .milliseconds(10))
    /// For tests: whether loopback is an address like any other.
    package var countsLoopback = false
    /// How much of an access token's life may be taken off by chance, so that a crowd that came together leaves apart.
    package var jitter = 0.1
    /// The seconds after which whoever finds the server full may come back; each is told another number.
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
