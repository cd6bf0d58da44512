// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why items wait for something that no further attempt would bring about.
public enum OutboxHoldReason: String, Sendable {
    /// No user is signed in, or a sign-out is under way; they go on when their user signs in.
    case signedOut
    /// The session's store, or the outbox's folder, cannot be read now.
    case storeUnavailable
    /// The server refused the access token, and a new one as well; they go on with the next token.
    case tokenRefused
    /// A newer version of the app put the first item of their lane down; they go on once that version runs here.
    case newerVersion
    /// A dead letter of their lane has to be retried or discarded first.
    case deadLetter
}
