// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The stable codes of every error answer, each with one HTTP status.
package enum ErrorCode: String, Codable, Sendable, CaseIterable {
    /// The request is not one the server can read.
    case invalidRequest = "invalid_request"
    /// The refresh token or the credentials are refused for good (RFC 6749 section 5.2).
    case invalidGrant = "invalid_grant"
    /// The token endpoint knows no such grant (RFC 6749 section 5.2).
    case unsupportedGrantType = "unsupported_grant_type"
    /// More was asked for than the sign-in gave (RFC 6749 section 5.2).
    case invalidScope = "invalid_scope"
    /// The OAuth client is not known, or did not prove itself (RFC 6749 section 5.2).
    case invalidClient = "invalid_client"
    /// The access token is missing, expired or not ours (RFC 6750 section 3.1).
    case invalidToken = "invalid_token"
    /// The access token does not reach this far.
    ///
    /// A client knows it; no route of this version answers it, because access tokens have no scopes yet.
    case insufficientScope = "insufficient_scope"
    /// The user must prove anew who he is: the sign-in is too old for what was asked.
    case stepUpRequired = "step_up_required"
    /// A browser's page of an origin that may not open sockets here.
    case originNotAllowed = "origin_not_allowed"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    /// The request did not arrive in time.
    case requestTimeout = "request_timeout"
    /// A newer generation was proved: not an end, and no sign of theft by itself (PROTOCOL.md, case 2).
    case superseded
    /// There is already something of that name.
    case conflict
    case contentTooLarge = "content_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    /// The path is a socket, and the request does not open one.
    case upgradeRequired = "upgrade_required"
    case headersTooLarge = "headers_too_large"
    case tooManyRequests = "too_many_requests"
    case serverError = "server_error"
    /// The server could do it, but was not told how.
    case notImplemented = "not_implemented"
    /// The server cannot answer now; it may later.
    case unavailable

    /// The status that carries this code.
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
