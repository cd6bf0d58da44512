// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a socket is closed and does not reconnect.
@nonexhaustive
public enum SocketCloseReason: Sendable, Equatable {
    /// The app closed it.
    case requested
    /// The user signed out, or another user signed in (``SignOutReason/replaced``).
    case signedOut(SignOutReason?)
    /// The server forbids the connection, with this handshake status or close code (1000 or greater). A new token would
    /// not help.
    case forbidden(code: Int)
    /// The server requires stronger authentication first.
    case stepUpRequired
    /// The server, the contract or the configuration is wrong: a developer has to fix it.
    case fault(String)
}
