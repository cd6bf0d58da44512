// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a socket has no connection at the moment.
@nonexhaustive
public enum SocketInterruption: Sendable, Equatable {
    /// The server could not be reached, or the connection was lost.
    case unreachable
    /// The server refused the handshake with this status.
    case refused(status: Int)
    /// The server closed the connection with this code.
    case closed(code: Int)
    /// The server did not answer a ping.
    case pongTimeout
    /// No access token is available now.
    case session(SessionError)
    /// The system reports that there is no network.
    case noNetwork
    /// The app is in the background.
    case suspended
}
