// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The handling of an item after an attempt to send it.
public enum OutboxDisposition: Sendable, Equatable {
    /// The item was delivered, and is removed.
    case delivered
    /// The item is sent again after a back-off, and not before the end of the server's `Retry-After`.
    case retry(after: Duration?)
    /// The item waits until the session has another access token.
    case hold
    /// The item becomes a dead letter, for the app to handle.
    case dead
}
