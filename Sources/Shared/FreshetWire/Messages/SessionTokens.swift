// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The tokens of a session, as in the response to a sign-in or refresh.
package struct SessionTokens: Codable, Equatable, Sendable {
    package var accessToken: String
    package var tokenType: String
    /// The seconds until the access token expires, from the time of the response.
    package var expiresIn: Int
    package var refreshToken: String
    /// The seconds until the session expires unless it is refreshed before then.
    package var refreshExpiresIn: Int
    package var sessionID: SessionID
    package var user: UserInfo
    /// The server's clock at the response, in fractional seconds since 1970.
    package var serverTime: Double
    /// The suggested delay of the next refresh, in seconds.
    ///
    /// A hint that spreads the refreshes of many clients.
    package var refreshAfter: Int?
    /// Whether the account never signed in before; only in responses to sign-ins.
    package var isNewUser: Bool?
    /// Whether the account has a profile; only in responses to sign-ins.
    package var hasProfile: Bool?

    package init(
        accessToken: String,
        expiresIn: Int,
        refreshToken: String,
        refreshExpiresIn: Int,
        sessionID: SessionID,
        user: UserInfo,
        serverTime: Double
    ) {
        self.accessToken = accessToken
        self.tokenType = "Bearer"
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.refreshExpiresIn = refreshExpiresIn
        self.sessionID = sessionID
        self.user = user
        self.serverTime = serverTime
    }

    private enum CodingKeys: String, CodingKey {
        case user
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case refreshExpiresIn = "refresh_expires_in"
        case sessionID = "session_id"
        case serverTime = "server_time"
        case refreshAfter = "refresh_after"
        case isNewUser = "is_new_user"
        case hasProfile = "has_profile"
    }
}

extension SessionTokens: Masked {
    package var mask: String { "SessionTokens(session \(sessionID), access token •••, refresh token •••)" }
}
