// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How a session's socket behaves where the defaults do not fit.
public struct SocketConfiguration: Sendable, Equatable {
    /// The longest message, and how long handshake and goodbye may take.
    public var limits = WebSocketLimits()
    /// How often the server is pinged; `nil` for never.
    public var pingInterval: Duration? = .seconds(25)
    /// How long a pong may take before the connection counts as lost.
    public var pongDeadline: Duration = .seconds(10)
    /// How many messages may wait for the consumer before nothing more is read from the network.
    public var incomingLimit = 32
    /// How many messages may wait to be sent; a further one fails with ``SocketError/bufferFull``.
    public var outgoingLimit = 32
    /// Whether messages wait for a connection; if not, they fail with ``SocketError/notConnected`` while there is none.
    public var sendsWaitForConnection = true
    /// How long to wait between attempts.
    public var backoff = RetryBackoff(first: .seconds(1), limit: .seconds(30))
    /// How long a connection must have lasted for the back-off to begin anew.
    ///
    /// A server that takes connections and drops them is not called at once every time.
    public var stableAfter: Duration = .seconds(30)
    /// How long a token must still live to connect with it; one with less is refreshed first.
    ///
    /// A fifth of the token's lifetime is the limit in any case.
    public var minimumTokenLifetime: Duration = .seconds(10)
    /// How long before its token's end a connection is replaced; `nil` leaves it open until the server closes it.
    ///
    /// The new token is there before the old connection is closed, and the old connection is closed before the new one is
    /// opened: there are never two. It has no effect where the contract pushes new tokens into the open socket.
    public var reconnectLeadTime: Duration?
    /// The subprotocols that the app understands, in order.
    public var protocols: [String] = []

    /// The defaults.
    public init() {}
}
