// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a message was not sent.
@nonexhaustive
public enum SocketError: Error, Sendable, Equatable {
    /// The send queue is full. Nothing was sent.
    case bufferFull
    /// There is no connection, and the configuration does not wait for one. Nothing was sent.
    case notConnected
    /// The connection ended while the message was being written. The server may have received it.
    case interrupted
    /// The socket was closed before the message was sent. Nothing was sent.
    case closed(SocketCloseReason)
    /// The calling task was cancelled. Nothing was sent, unless the message was being written.
    case cancelled
}
