// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The configuration of a ``SessionSocket``.
public struct SocketConfiguration: Sendable, Equatable {
    /// The maximum message size, and the timeouts of the handshake and the close.
    public var limits = WebSocketLimits()
    /// The interval of pings; `nil` for no pings.
    public var pingInterval: Duration? = .seconds(25)
    /// The timeout of a pong, after which the connection counts as lost.
    public var pongDeadline: Duration = .seconds(10)
    /// The maximum number of received messages that are buffered before reading from the network stops.
    public var incomingLimit = 32
    /// The maximum size of the send queue; a further message fails with ``SocketError/bufferFull``.
    public var outgoingLimit = 32
    /// Whether messages wait for a connection, instead of failing with ``SocketError/notConnected``.
    public var sendsWaitForConnection = true
    /// The delays between attempts to connect.
    public var backoff = RetryBackoff(first: .seconds(1), limit: .seconds(30))
    /// The time after which an open connection resets the back-off.
    ///
    /// Prevents immediate reconnects to a server that accepts connections and drops them.
    public var stableAfter: Duration = .seconds(30)
    /// The minimum remaining lifetime of a token for a new connection; other tokens are refreshed first.
    ///
    /// Capped at a fifth of the token's lifetime.
    public var minimumTokenLifetime: Duration = .seconds(10)
    /// The time before its token's expiry at which a connection is replaced; `nil` for never.
    ///
    /// The new token is obtained before the old connection is closed, and the old connection is closed before the new
    /// one is opened, so there are never two connections. Has no effect if the contract pushes new tokens over the open
    /// socket.
    public var reconnectLeadTime: Duration?
    /// The subprotocols that the app supports, in order of preference.
    public var protocols: [String] = []

    /// Creates a configuration with the default values.
    public init() {}
}
