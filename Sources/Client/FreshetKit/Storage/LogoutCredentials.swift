// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// What the server is shown when it hears of a sign-out later; nothing more of a session is kept.
enum LogoutCredentials: Equatable, Sendable {
    /// It need not hear of it, or has no call for that.
    case none
    case refreshToken
    case bothTokens
}

extension Contract {
    /// What this backend wants to see at a sign-out.
    var logoutCredentials: LogoutCredentials {
        guard let logout = document.endpoints[.logout] else { return .none }
        return logout.attachesAccessToken || logout.names.contains("access_token") ? .bothTokens : .refreshToken
    }
}
