// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An access token with its times on the session's own clock.
struct TimedAccessToken: Equatable, Sendable {
    /// The reason that the token was requested.
    enum Cause: Equatable, Sendable {
        case signIn
        case expiry
        /// A resource refused the previous token.
        case rejection
    }

    var token: AccessToken
    var askedAt: Duration
    var expiresAt: Duration
    var cause: Cause
    /// The time at which the server suggests the next refresh.
    var refreshHint: Duration?
    /// The source of the expiry.
    var source = AccessTokenReport.Source.stored

    func isValid(at now: Duration) -> Bool { now < expiresAt }
}
