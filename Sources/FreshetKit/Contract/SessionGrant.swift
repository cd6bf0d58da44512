// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// What a contract read from the answer to a sign-in or a refresh.
struct SessionGrant: Equatable, Sendable, Masked {
    /// The server's name for the session, if it has one.
    var sessionID: String?
    /// How many refreshes led to the refresh token, if it says so itself.
    var generation: UInt64?
    var accessToken: String
    /// None came: the one before stays, if there was one.
    var refreshToken: String?
    /// How long the access token lives, counted from when it was asked for.
    var lifetime: Duration
    /// Where the lifetime comes from.
    var expirySource = AccessTokenReport.Source.assumed
    /// When the server would like to be asked again, counted from when the token was asked for.
    var refreshAfter: Duration?
    var userID: String?
    var email: String?
    /// How long the session itself lasts, counted from when it was asked for.
    var sessionLifetime: Duration?
    /// Whether a refresh moves the session's end.
    var isSessionExtended = false

    init(
        accessToken: String,
        refreshToken: String?,
        lifetime: Duration,
        userID: String? = nil,
        email: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.userID = userID
        self.email = email
    }

    var mask: String { "SessionGrant(\(sessionID ?? "unnamed"), •••)" }
}
