// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a WebSocket keeps to.
public struct WebSocketLimits: Sendable, Equatable {
    /// The longest message that is received, in bytes; a longer one ends the connection with close code 1009.
    public var maximumMessage: Int
    /// How long the handshake may take, from resolving the name to the server's answer.
    public var handshakeDeadline: Duration
    /// How long a goodbye waits for the server's.
    public var closeDeadline: Duration

    /// Messages of a mebibyte, handshakes of ten seconds, goodbyes of two.
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
