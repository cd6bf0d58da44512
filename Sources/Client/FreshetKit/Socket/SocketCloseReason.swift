// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a socket is closed for good.
@nonexhaustive
public enum SocketCloseReason: Sendable, Equatable {
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
