// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A step of the live test, in the order of the table.
enum ConformanceStep: String, CaseIterable, Codable, Sendable {
    case signIn = "sign_in"
    case expiry
    case call
    case garbageAccessToken = "garbage_access_token"
    case alteredAccessToken = "altered_access_token"
    case refresh
    case rotation
    case olderAccessToken = "older_access_token"
    case expiredAccessToken = "expired_access_token"
    case garbageRefreshToken = "garbage_refresh_token"
    case alteredRefreshToken = "altered_refresh_token"
    case usedRefreshToken = "used_refresh_token"
    case usedRefreshTokenLater = "used_refresh_token_later"
    case newestRefreshToken = "newest_refresh_token"
    case otherIntent = "other_intent"
    case logout
    case refreshAfterLogout = "refresh_after_logout"
    case callAfterLogout = "call_after_logout"
    case wrongPassword = "wrong_password"
    case errors
    case caching
    case redirects
    case clock

    /// The title of the step.
    var title: String {
        switch self {
        case .signIn: "sign-in"
        case .expiry: "expiry in the reply"
        case .call: "call with the access token"
        case .garbageAccessToken: "call with a made-up token"
        case .alteredAccessToken: "call with an altered token"
        case .refresh: "refresh"
        case .rotation: "refresh token in the reply"
        case .olderAccessToken: "access token from before the refresh"
        case .expiredAccessToken: "expired access token"
        case .garbageRefreshToken: "made-up refresh token"
        case .alteredRefreshToken: "altered refresh token"
        case .usedRefreshToken: "used refresh token, at once"
        case .usedRefreshTokenLater: "used refresh token, later"
        case .newestRefreshToken: "newest refresh token after that"
        case .otherIntent: "refresh with another intent"
        case .logout: "sign-out"
        case .refreshAfterLogout: "refresh after the sign-out"
        case .callAfterLogout: "call after the sign-out"
        case .wrongPassword: "sign-in with a wrong password"
        case .errors: "what errors say"
        case .caching: "Cache-Control of tokens"
        case .redirects: "redirects"
        case .clock: "clock"
        }
    }
}
