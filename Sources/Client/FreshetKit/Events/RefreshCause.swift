// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a refresh began.
public enum RefreshCause: String, Sendable, Hashable, CaseIterable {
    /// The access token was near its end, and nobody waited.
    case ahead
    /// The access token had ended.
    case expired
    /// A resource refused the access token.
    case rejected
    /// The app asked for it.
    case requested
}
