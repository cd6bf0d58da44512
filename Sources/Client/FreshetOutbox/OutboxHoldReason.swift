// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that items are held, because another attempt would not help.
public enum OutboxHoldReason: String, Sendable {
    /// The user is signed out, or signing out; sending continues when the items' user signs in.
    case signedOut
    /// The session's store, or the outbox's folder, cannot be read now.
    case storeUnavailable
    /// The server refused the access token, and a new one as well; sending continues with the next token.
    case tokenRefused
    /// A newer version of the app stored the lane's first item; sending continues when that version runs.
    case newerVersion
    /// A dead letter of the lane has to be retried or discarded first.
    case deadLetter
}
