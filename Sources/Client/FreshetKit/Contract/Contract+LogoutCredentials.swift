// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension Contract {
    /// The credentials that this backend requires at a sign-out.
    var logoutCredentials: LogoutCredentials {
        guard let logout = document.endpoints[.logout] else { return .none }
        return logout.attachesAccessToken || logout.names.contains("access_token") ? .bothTokens : .refreshToken
    }
}
