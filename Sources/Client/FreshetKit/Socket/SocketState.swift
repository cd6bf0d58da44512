// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The state of a session's socket, for a user interface.
public enum SocketState: Sendable, Equatable {
    /// Not opened yet.
    case idle
    /// A valid access token is being obtained before connecting.
    case waitingForToken
    /// The handshake is in progress.
    case connecting
    /// The socket is connected.
    ///
    /// Connections are counted from 1; from the second one on, messages may have been missed.
    case open(connection: Int)
    /// Disconnected; reconnects after this delay, or once the cause of the interruption is resolved.
    case waiting(retryAfter: Duration?, SocketInterruption)
    /// The socket is closed, and does not reconnect.
    ///
    /// Iterating or connecting again opens it.
    case closed(SocketCloseReason)
}
