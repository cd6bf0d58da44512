// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a fake backend refuses a request; each app's backend has its own wording.
enum BackendRefusal: Sendable, Equatable {
    case invalidRequest
    case invalidCredentials
    /// The refresh token is not accepted.
    case sessionEnded
    /// The access token is not accepted.
    case accessExpired
    case forbidden
    case notFound
    case methodNotAllowed
    case upgradeRequired
    case throttled
    /// Any other status.
    case other(Int)

    /// Creates the most general refusal with a status.
    init(status: Int) {
        self =
            switch status {
            case 400: .invalidRequest
            case 401: .accessExpired
            case 403: .forbidden
            case 404: .notFound
            case 429: .throttled
            default: .other(status)
            }
    }

    var status: Int {
        switch self {
        case .invalidRequest: 400
        case .invalidCredentials, .sessionEnded, .accessExpired: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .upgradeRequired: 426
        case .throttled: 429
        case .other(let status): status
        }
    }

    /// The error code, for backends whose errors have one.
    var code: String {
        switch self {
        case .invalidRequest, .methodNotAllowed, .upgradeRequired: "invalid_request"
        case .invalidCredentials: "invalid_credentials"
        case .sessionEnded: "session_ended"
        case .accessExpired: "unauthorized"
        case .forbidden: "forbidden"
        case .notFound: "not_found"
        case .throttled: "too_many_requests"
        case .other(let status): status < 500 ? "refused" : "server_error"
        }
    }
}
