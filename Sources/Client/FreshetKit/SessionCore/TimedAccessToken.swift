// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An access token with its times on the session's own clock.
struct TimedAccessToken: Equatable, Sendable {
    /// The reason for which the token was requested.
    enum Cause: Equatable, Sendable {
        case signIn
        case expiry
        /// A resource had refused the one before.
        case rejection
    }

    var token: AccessToken
    var askedAt: Duration
    var expiresAt: Duration
    var cause: Cause
    /// When the server would like to be asked for the next one.
    var refreshHint: Duration?
    /// How the expiry is known.
    var source = AccessTokenReport.Source.stored

    func isValid(at now: Duration) -> Bool { now < expiresAt }
}
