// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The limits of sockets.
package struct SocketLimits: Equatable, Sendable {
    /// The maximum size of a client's message, including all its fragments.
    var messageBytes = 64 * 1024
    /// The maximum number of fragments of one message.
    var messageFragments = 128
    /// The token bucket for a client's messages and pings: its capacity, and its refill interval.
    var burst = 60
    var messageInterval = Duration.milliseconds(100)
    /// The time within which a client must authenticate in a message, if it did not in the handshake.
    var authenticationTimeout = Duration.seconds(10)
    /// The interval of pings, and of the checks for silence and expiry.
    package var pingInterval = Duration.seconds(30)
    /// The time without a frame, including pongs, after which a client counts as disconnected.
    package var silenceTimeout = Duration.seconds(60)
    /// The time that a client has to answer a close frame.
    var closeTimeout = Duration.seconds(1)
    /// The maximum number of bytes queued for one socket; beyond it the client is too slow.
    var queuedBytes = 256 * 1024
    /// The time without a completed write after which a client is too slow.
    var writeTimeout = Duration.seconds(10)
    var perSession = 8
    var perUser = 64
    var total = 10_000
    /// The maximum number of unauthenticated sockets.
    ///
    /// Beyond it, the oldest socket of the network with the most unauthenticated sockets is closed.
    var unidentified = 256
    /// The maximum number of unauthenticated sockets of one network: an IPv4 address or an IPv6 /64.
    var unidentifiedPerSource = 32

    package init() {}
}
