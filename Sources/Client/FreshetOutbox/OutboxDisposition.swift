// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What becomes of an item after an attempt to send it.
public enum OutboxDisposition: Sendable, Equatable {
    /// It is done.
    case delivered
    /// It is sent again, after a back-off and no earlier than the server asked for.
    case retry(after: Duration?)
    /// It waits until the session has another access token.
    case hold
    /// It is set aside, for the app to look at.
    case dead
}
