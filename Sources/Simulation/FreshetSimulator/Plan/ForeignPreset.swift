// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A preset whose backend is not Freshet's, and the facts of that backend.
enum ForeignPreset: String, CaseIterable, Codable, Sendable {
    case supabase, auth0, okta, slack, spotify
    /// OAuth 2.0 without refresh tokens: a session lasts until its access token expires.
    case oauth2 = "oauth2 without refresh tokens"

    var contract: Contract {
        let name = self == .oauth2 ? "oauth2" : rawValue
        do { return try Contract.named(name) } catch { fatalError("no preset '\(name)': \(error)") }
    }

    var values: ContractValues { self == .supabase ? ["api_key": "key"] : ["client_id": "app"] }

    var hasRefreshTokens: Bool { self != .oauth2 }

    /// Whether users sign in with a password; otherwise the app obtains the tokens, such as in a browser.
    var usesPasswords: Bool { self == .supabase || self == .auth0 }

    /// Whether a sign-out presents the refresh token, so that it ends the session even if the access token has expired.
    var logsOutByRefreshToken: Bool { self == .auth0 || self == .okta }

    var signsOutEverywhere: Bool { self == .supabase }

    /// Whether access tokens are JWTs, which the API accepts until they expire, even if the session has ended.
    var usesJWTs: Bool { [.supabase, .auth0, .okta].contains(self) }

    /// The path of the token endpoint.
    var tokenPath: String {
        switch self {
        case .supabase: "/auth/v1/token"
        case .auth0, .oauth2: "/oauth/token"
        case .okta: "/oauth2/default/v1/token"
        case .slack: "/api/oauth.v2.access"
        case .spotify: "/api/token"
        }
    }

    /// The path at which sessions are signed out; `nil` without one.
    var logoutPath: String? {
        switch self {
        case .supabase: "/auth/v1/logout"
        case .auth0: "/oauth/revoke"
        case .okta: "/oauth2/default/v1/revoke"
        case .slack, .spotify, .oauth2: nil
        }
    }
}
