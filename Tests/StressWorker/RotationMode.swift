// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// How a backend hands out and renews tokens.
enum RotationMode: String, Sendable, CaseIterable {
    /// Freshet's own protocol.
    case confirmed
    /// Each refresh token is accepted once, without grace; a used one is refused, and ends nothing.
    case rotating
    /// One refresh token for the session's whole life.
    case fixed
    /// No refresh token; the access token is shown at the logout.
    case accessOnly

    func contract() throws -> Contract {
        switch self {
        case .confirmed: .freshet
        case .rotating: try Self.described(refresh: true, rotation: "always")
        case .fixed: try Self.described(refresh: true, rotation: "never")
        case .accessOnly: try Self.described(refresh: false, rotation: "none")
        }
    }

    private static func described(refresh: Bool, rotation: String) throws -> Contract {
        let token = refresh ? "refresh_token" : "access_token"
        let refreshEndpoint = #""refresh": { "path": "/v1/refresh", "json": { "refresh_token": "$refresh_token" } },"#
        let text = """
            {
              "contract": 1, "name": "stress",
              "endpoints": {
                "login.password": { "path": "/v1/login/password",
                  "json": { "email": "$email", "password": "$password" } },
                "login.code": { "path": "/v1/login/code", "json": { "email": "$email" } },
                "login.code.verify": { "path": "/v1/login/code/verify", "json": { "email": "$email", "code": "$code" } },
                \(refresh ? refreshEndpoint : "")
                "logout": { "path": "/v1/logout", "json": { "\(token)": "$\(token)" } },
                "logoutAll": { "path": "/v1/logout-all", "attach": true },
                "sessions.list": { "method": "GET", "path": "/v1/sessions", "attach": true }
              },
              "reply": {
                "access": "/access_token", \(refresh ? #""refresh": "/refresh_token","# : "")
                "user": { "id": "/user/id", "email": "/user/email" },
                "expiry": [{ "in": "/expires_in", "unit": "s" }, { "assume": 600 }]
              },
              "rotation": "\(rotation)",
              "classify": [
                { "on": "logout", "status": 401, "outcome": "sessionEnded", "reason": "unknown" },
                \(refresh ? #"{ "on": "refresh", "status": 401, "outcome": "sessionEnded", "reason": "unknown" },"# : "")
                { "on": "api", "status": 401, "outcome": "accessExpired" },
                { "on": "socket", "status": 401, "outcome": "accessExpired" },
                { "on": "socket", "close": 4401, "outcome": "accessExpired" }
              ],
              "errors": { "code": "/error" },
              "socket": { "path": "/v1/socket", "token": { "header": "Authorization" } }
            }
            """
        return try Contract(json: Data(text.utf8))
    }
}
