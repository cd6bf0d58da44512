// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// A contract without lint findings.
package enum ValidContract {
    package static let json: JSONValue = {
        do throws(JSONParser.Fault) { return try JSONParser.parse(text.utf8) } catch { return .string("\(error)") }
    }()

    private static let text = #"""
        {
          "contract": 1,
          "name": "sound",
          "variables": { "client_id": {} },
          "endpoints": {
            "login.password": { "path": "/login", "json": { "email": "$email", "password": "$password" } },
            "login.code": { "path": "/code", "json": { "email": "$email" } },
            "login.code.verify": { "path": "/verify", "json": { "attempt": "$attempt", "code": "$code" } },
            "refresh": { "path": "/refresh", "form": { "client_id": "$client_id", "token": "$refresh_token" } },
            "logout": { "path": "/logout", "json": { "token": "$refresh_token" } },
            "me": { "method": "GET", "path": "/me", "attach": true },
            "sessions.revoke": { "method": "DELETE", "path": "/sessions/${id}", "attach": true }
          },
          "reply": {
            "access": "/access", "refresh": "/refresh", "attempt": "/attempt",
            "expiry": [{ "in": "/expires_in" }, { "jwt": "exp" }, { "assume": 900 }]
          },
          "rotation": "optional",
          "classify": [
            { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "over" }, "outcome": "sessionEnded" },
            { "on": "api", "status": 401, "outcome": "accessExpired" }
          ],
          "errors": { "code": "/error" },
          "policy": { "refreshBefore": 120, "minimumInterval": 30 },
          "socket": { "path": "/ws", "token": { "header": "Authorization" } },
          "storage": { "imports": [{ "access": "a", "refresh": "r" }] },
          "server": {
            "rotation": "plain",
            "lifetimes": { "access": 900, "idle": 86400, "absolute": 864000 },
            "replies": {
              "login": { "json": { "access": "$access_token", "refresh": "$refresh_token" } },
              "login.code": { "json": { "attempt": "$attempt" } },
              "refresh": { "json": { "access": "$access_token", "refresh": "$refresh_token", "expires_in": "$expires_in" } }
            },
            "resources": [{ "path": "/posts", "reply": {} }, { "method": "POST", "path": "/posts", "reply": {} }],
            "errors": {
              "accessExpired": { "status": 401 }, "sessionEnded": { "status": 400, "json": { "error": "over" } },
              "superseded": { "status": 409 }, "refused": { "status": 401 }, "invalidRequest": { "status": 400 },
              "forbidden": { "status": 403 }, "notFound": { "status": 404 }, "throttled": { "status": 429 }
            }
          }
        }
        """#
}
