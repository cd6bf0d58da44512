// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a WebSocket did not open, or is open no longer.
@nonexhaustive
public enum WebSocketError: Error, Sendable, Equatable {
    /// The server answered the handshake with something else than 101.
    case refused(WebSocketRefusal)
    /// The server closed the socket; 1005 stands for a goodbye without a code (RFC 6455 section 7.1.5).
    case closed(code: Int)
    /// There was a fault of the network, or the server said something that is no WebSocket.
    case lost
    /// The server sent a message longer than allowed.
    case messageTooLong
    /// This transport cannot open WebSockets here, whatever the server says.
    case unsupported(String)
}
