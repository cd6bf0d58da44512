// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a WebSocket could not be opened, or was closed.
@nonexhaustive
public enum WebSocketError: Error, Sendable, Equatable {
    /// The server responded to the handshake with a status other than 101.
    case refused(WebSocketRefusal)
    /// The server closed the socket; 1005 stands for a close frame without a code (RFC 6455).
    case closed(code: Int)
    /// The network failed, or the server violated the WebSocket protocol.
    case lost
    /// The server sent a message that exceeds the limit.
    case messageTooLong
    /// This transport does not support WebSockets on this system.
    case unsupported(String)
}
