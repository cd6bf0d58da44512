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
    /// Its file cannot be read, or has a later version.
    case damaged
    /// The session's token is no longer allowed at its host.
    case foreignHost
}
