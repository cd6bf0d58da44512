// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that an item became a dead letter.
public enum OutboxDeadLetterReason: Sendable, Equatable {
    /// The server rejected it with this status.
    case rejected(status: Int)
    /// The server redirected with this status, so it is unknown whether it processed the request.
    case redirected(status: Int)
    /// The item exceeded the maximum age.
    case expired
    /// The item's file, or the stored reason, cannot be decoded.
    case damaged
    /// The session's token may not be sent to the host of the item's request.
    case foreignHost
}
