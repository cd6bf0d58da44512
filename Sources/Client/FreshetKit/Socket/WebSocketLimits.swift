// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The size limit and timeouts of a WebSocket.
public struct WebSocketLimits: Sendable, Equatable {
    /// The maximum size of a received message in bytes; a longer one closes the connection (1009).
    public var maximumMessage: Int
    /// The timeout of the handshake, from name resolution to the server's response.
    public var handshakeDeadline: Duration
    /// The timeout for waiting for the server's close frame.
    public var closeDeadline: Duration

    /// Creates limits; by default 1 MiB per message, ten seconds for the handshake, two for the close.
    public init(
        maximumMessage: Int = 1 << 20,
        handshakeDeadline: Duration = .seconds(10),
        closeDeadline: Duration = .seconds(2)
    ) {
        self.maximumMessage = maximumMessage
        self.handshakeDeadline = handshakeDeadline
        self.closeDeadline = closeDeadline
    }
}
