// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The credentials kept for a sign-out that is sent later; nothing else of the session is kept.
enum LogoutCredentials: Equatable, Sendable {
    /// No credentials: the backend does not have to be notified of a sign-out, or has no endpoint for it.
    case none
    case refreshToken
    case bothTokens
}
