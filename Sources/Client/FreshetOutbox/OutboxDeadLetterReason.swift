// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why an item was set aside.
public enum OutboxDeadLetterReason: Sendable, Equatable {
    /// The server will not take it, with this status.
    case rejected(status: Int)
    /// The server answered with a redirect to another resource, here with this status, and whether it did what was asked is
    /// unknown.
    case redirected(status: Int)
    /// It became too old.
    case expired
    /// Its file cannot be read, or is one of a later version.
    case damaged
    /// Its host is none that the session's token may go to any more.
    case foreignHost
}
