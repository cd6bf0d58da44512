// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The cause of a refresh.
public enum RefreshCause: String, Sendable, Hashable, CaseIterable {
    /// The access token was about to expire, and no caller was waiting.
    case ahead
    /// The access token had expired.
    case expired
    /// A resource refused the access token.
    case rejected
    /// The app called ``AuthSession/refresh()``.
    case requested
}
