// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Contracts of apps that exist in tests only.
package enum ContractFixture {
    /// A usual app that rotates: JSON, snake case.
    package static let wharf = """
        {
          "contract": 1, "name": "wharf", "rotation": "always",
          "endpoints": {
            "login.signup": { "path": "/signup", "json": { "email": "$email", "password": "$password" } },
            "login.password": { "path": "/login", "json": { "email": "$email", "password": "$password" } },
            "refresh": { "path": "/refresh", "json": { "refresh_token": "$refresh_token" } },
            "logout": { "path": "/logout", "json": { "refresh_token": "$refresh_token" } },
            "logoutAll": { "path": "/logout-all", "attach": true },
            "me": { "method": "GET", "path": "/me", "attach": true }
          },
          "reply": { "access": "/access_token", "refresh": "/refresh_token" },
          "server": {
            "rotation": "plain",
            "lifetimes": { "access": 300, "idle": 3600, "absolute": 7200 },
            "resources": [ { "path": "/ships", "reply": { "json": { "ships": [] } } } ],
            "errors": {
              "accessExpired": { "status": 401, "json": { "fault": "expired", "text": "$message" } },
              "sessionEnded": { "status": 401, "json": { "fault": "over", "text": "$message" } },
              "superseded": { "status": 409, "json": { "fault": "superseded" } },
              "refused": { "status": 403, "json": { "fault": "refused", "text": "$message" } },
              "invalidRequest": { "status": 422, "json": { "fault": "invalid", "text": "$message" } },
              "throttled": { "status": 429, "json": { "fault": "slowly" } }
            }
          }
        }
        """

    /// An app that never rotates, and says nothing about answers.
    package static let quay = """
        {
          "contract": 1, "name": "quay", "rotation": "never",
          "endpoints": {
            "login.password": { "path": "/quay/login", "json": { "email": "$email", "password": "$password" } },
            "refresh": { "path": "/quay/refresh", "json": { "token": "$refresh_token" } },
            "logoutAll": { "path": "/quay/logout-all", "attach": true }
          },
          "reply": { "access": "/access", "refresh": "/refresh", "expiry": [{ "in": "/left", "unit": "s" }] },
          "server": { "rotation": "static", "lifetimes": { "access": 300, "idle": 3600, "absolute": 7200 } }
        }
        """
}
