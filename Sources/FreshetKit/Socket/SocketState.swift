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
    case waiting(retryAfter: Duration?, SocketTrouble)
    /// Nothing comes by itself any more. Iterating or connecting again starts over.
    case closed(SocketEnd)
}

/// Why a socket has no connection at the moment.
@nonexhaustive
public enum SocketTrouble: Sendable, Equatable {
    /// The server was not reached, or the connection was lost.
    case unreachable
    /// The server answered the handshake with this status.
    case refused(status: Int)
    /// The server closed the connection with this code.
    case closed(code: Int)
    /// The server did not answer a ping.
    case silent
    /// There is no access token to connect with now.
    case session(SessionError)
    /// The system says that there is no network.
    case noNetwork
    /// The app is in the background.
    case suspended
}

/// Why a socket is closed for good.
@nonexhaustive
public enum SocketEnd: Sendable, Equatable {
    /// The app closed it.
    case requested
    /// Nobody is signed in, or somebody else is (``SignOutReason/replaced``).
    case signedOut(SignOutReason?)
    /// The server does not allow it: handshake status, or close code from 1000 on. A new token would not help.
    case forbidden(code: Int)
    /// The user has to prove more first.
    case stepUpRequired
    /// The server, the contract or the configuration is wrong: a developer has to look.
    case fault(String)
}
