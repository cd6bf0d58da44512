// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// The credentials kept for a sign-out that is sent later; nothing else of the session is kept.
enum LogoutCredentials: Equatable, Sendable {
    /// No credentials: the backend need not be told of a sign-out, or has no endpoint for it.
    case none
    case refreshToken
    case bothTokens
}

extension Contract {
    /// The credentials that this backend requires at a sign-out.
    var logoutCredentials: LogoutCredentials {
        guard let logout = document.endpoints[.logout] else { return .none }
        return logout.attachesAccessToken || logout.names.contains("access_token") ? .bothTokens : .refreshToken
    }
}
