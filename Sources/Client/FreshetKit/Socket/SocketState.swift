// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where a session's socket stands, for a user interface to follow.
public enum SocketState: Sendable, Equatable {
    /// Nobody asked for it yet.
    case idle
    /// A connection is wanted, and an access token that is good for it is being got.
    case waitingForToken
    /// The handshake is under way.
    case connecting
    /// Messages flow. Connections are counted from 1; from the second on something may have been missed in between.
    case open(connection: Int)
    /// There is no connection. The next attempt comes after so long, or once what is missing is back; nobody has to do
    /// anything.
    case waiting(retryAfter: Duration?, SocketInterruption)
    /// Nothing comes by itself any more. Iterating or connecting again starts over.
    case closed(SocketCloseReason)
}
