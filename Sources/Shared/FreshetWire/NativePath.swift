// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The paths of the native contract.
package enum NativePath {
    package static let signup = "/v1/signup"
    /// The prefix of all sign-in paths.
    package static let loginPrefix = "/v1/login/"
    package static let loginPassword = "/v1/login/password"
    package static let loginCode = "/v1/login/code"
    package static let loginCodeVerify = "/v1/login/code/verify"
    package static let loginAppleNonce = "/v1/login/apple/nonce"
    package static let loginApple = "/v1/login/apple"
    /// Receives Apple's notifications, for example of users who revoked their consent.
    package static let appleNotifications = "/v1/apple/notices"
    package static let password = "/v1/password"
    package static let passwordReset = "/v1/password/reset"
    package static let linkEmail = "/v1/link/email"
    package static let linkEmailVerify = "/v1/link/email/verify"
    package static let linkApple = "/v1/link/apple"
    package static let refresh = "/v1/refresh"
    package static let confirm = "/v1/confirm"
    package static let report = "/v1/report"
    package static let logout = "/v1/logout"
    package static let logoutAll = "/v1/logout-all"
    package static let logoutOthers = "/v1/logout-others"
    package static let sessions = "/v1/sessions"
    package static let me = "/v1/me"
    /// The profile: the names that a user chose.
    package static let profile = "/v1/me/profile"
    /// The native WebSocket (RFC 6455).
    package static let socket = "/v1/socket"
    /// The token endpoint of RFC 6749, for OAuth libraries.
    package static let oauthToken = "/oauth/token"
    /// The revocation endpoint of RFC 7009.
    package static let oauthRevoke = "/oauth/revoke"
    /// The introspection endpoint of RFC 7662.
    package static let oauthIntrospect = "/oauth/introspect"
    /// The authorization server metadata of RFC 8414.
    package static let metadata = "/.well-known/oauth-authorization-server"
    /// The OpenAPI 3.1 description.
    package static let openAPI = "/openapi.json"
    /// The feed of recently ended sessions, for resource servers.
    package static let ended = "/v1/ended"
    package static let keySet = "/.well-known/jwks.json"
    package static let live = "/healthz"
    package static let ready = "/readyz"
}
