// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

/// The backends, and in what they differ; each is asked as its own manual says, not as a contract does.
enum BackendKind: String, CaseIterable, CustomTestStringConvertible {
    case simpleJWT = "SimpleJWT"
    case rotatingSimpleJWT = "SimpleJWT with rotation and blacklist"
    case djangoOAuthToolkit = "Django OAuth Toolkit"
    case flaskJWTExtended = "Flask-JWT-Extended"
    case fastAPI = "FastAPI with PyJWT"
    case cognito = "moto's Cognito"

    var testDescription: String { rawValue }

    /// The program in `Tests/Backends`.
    var program: String {
        switch self {
        case .simpleJWT, .rotatingSimpleJWT: "simplejwt"
        case .djangoOAuthToolkit: "django_oauth_toolkit"
        case .flaskJWTExtended: "flask_jwt"
        case .fastAPI: "fastapi_jwt"
        case .cognito: "cognito"
        }
    }

    var arguments: [String] { self == .rotatingSimpleJWT ? ["--rotate"] : [] }

    /// Whether a refresh brings a new refresh token, and voids the old one at once.
    var rotates: Bool {
        switch self {
        case .rotatingSimpleJWT, .djangoOAuthToolkit, .fastAPI: true
        case .simpleJWT, .flaskJWTExtended, .cognito: false
        }
    }
}
