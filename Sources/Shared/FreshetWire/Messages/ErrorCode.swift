// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The stable codes of error responses, each with one HTTP status.
package enum ErrorCode: String, Codable, Sendable, CaseIterable {
    /// The request is malformed.
    case invalidRequest = "invalid_request"
    /// The refresh token or the credentials are refused permanently (RFC 6749 section 5.2).
    case invalidGrant = "invalid_grant"
    /// The token endpoint does not support the grant type (RFC 6749 section 5.2).
    case unsupportedGrantType = "unsupported_grant_type"
    /// The requested scope exceeds that of the sign-in (RFC 6749 section 5.2).
    case invalidScope = "invalid_scope"
    /// The OAuth client is unknown, or its authentication failed (RFC 6749 section 5.2).
    case invalidClient = "invalid_client"
    /// The access token is missing, expired or invalid (RFC 6750 section 3.1).
    case invalidToken = "invalid_token"
    /// The access token's scope does not permit the request.
    ///
    /// Clients handle this code, but no route of this version returns it, because access tokens have no scopes yet.
    case insufficientScope = "insufficient_scope"
    /// The user must authenticate again: the sign-in is too old for the request.
    case stepUpRequired = "step_up_required"
    /// The request comes from a page whose origin is not allowed to open sockets.
    case originNotAllowed = "origin_not_allowed"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    /// The request did not arrive in time.
    case requestTimeout = "request_timeout"
    /// A newer generation was confirmed.
    ///
    /// The session continues, and this alone is not a sign of theft (PROTOCOL.md, case 2).
    case superseded
    /// The resource already exists.
    case conflict
    case contentTooLarge = "content_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    /// The path is a WebSocket endpoint, and the request is not a handshake.
    case upgradeRequired = "upgrade_required"
    case headersTooLarge = "headers_too_large"
    case tooManyRequests = "too_many_requests"
    case serverError = "server_error"
    /// The function is not configured on this server.
    case notImplemented = "not_implemented"
    /// The server cannot serve the request now; the client may retry.
    case unavailable

    /// The HTTP status of this code.
    package var status: Int {
        switch self {
        case .invalidRequest, .invalidGrant, .unsupportedGrantType, .invalidScope: 400
        case .invalidToken, .invalidClient: 401
        case .insufficientScope, .originNotAllowed, .stepUpRequired: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .superseded, .conflict: 409
        case .contentTooLarge: 413
        case .unsupportedMediaType: 415
        case .upgradeRequired: 426
        case .tooManyRequests: 429
        case .headersTooLarge: 431
        case .serverError: 500
        case .notImplemented: 501
        case .unavailable: 503
        }
    }
}
