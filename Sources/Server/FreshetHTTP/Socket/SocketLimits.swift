// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What sockets may cost.
package struct SocketLimits: Equatable, Sendable {
    /// The longest message that a client may send, in all its fragments.
    package var messageBytes = 64 * 1024
    /// The fragments of one message at most.
    package var messageFragments = 128
    /// How fast a client may send messages and pings: this many at once, and then one an interval.
    package var burst = 60
    package var messageInterval = Duration.milliseconds(100)
    /// How long a client has to show its token in a message, where it did not in the handshake.
    package var authenticationTimeout = Duration.seconds(10)
    /// How often the server looks after a socket; each time it pings, too.
    package var pingInterval = Duration.seconds(30)
    /// How long a client may be silent, pongs included, before it counts as gone.
    package var silenceTimeout = Duration.seconds(60)
    /// How long a client has to answer a close.
    package var closeTimeout = Duration.seconds(1)
    /// What may wait to be written to one socket; beyond it the client is too slow.
    package var queuedBytes = 256 * 1024
    /// How long nothing of what waits may be written before the client counts as too slow.
    package var writeTimeout = Duration.seconds(10)
    package var perSession = 8
    package var perUser = 64
    package var total = 10_000
    /// Sockets whose client has shown no token yet; beyond them the oldest of the network with the most is closed.
    package var unidentified = 256
    /// Those of one network among them, an IPv4 address or an IPv6 /64.
    package var unidentifiedPerSource = 32

    package init() {}
}
