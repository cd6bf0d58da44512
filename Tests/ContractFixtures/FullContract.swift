// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// A contract without a mistake that uses every key of the format.
package enum FullContract {
    package static let json: JSONValue = {
        do throws(JSONParser.Fault) { return try JSONParser.parse(text.utf8) } catch { return .string("\(error)") }
    }()

    package static let text = #"""
        {
          "$schema": "contract.schema.json",
          "contract": 1,
          "name": "full-1",
          "title": "Everything",
          "variables": { "client_id": { "about": "Public.", "default": "app" }, "tenant": {} },
          "secrets": { "api_key": { "about": "Given at run time." } },
          "endpoints": {
            "login.password": {
              "method": "PUT", "path": "/${tenant}/login", "query": { "client": "$client_id" },
              "headers": { "X-Api-Key": "$api_key" }, "cookies": { "visit": "v-$nonce" },
              "json": { "email": "$email", "more": [1, null, true, "a$$b", { "password": "$password" }] },
              "contentType": "application/vnd.full+json", "timeout": 20
            },
            "login.code": { "path": "/code", "json": { "email": "$email" } },
            "login.code.verify": { "path": "/verify", "json": { "attempt": "$attempt", "code": "$code" } },
            "refresh": {
              "path": "/refresh", "basic": ["$client_id", "$api_key"], "form": { "token": "$refresh_token" }
            },
            "logout": { "path": "/logout", "json": "$refresh_token" },
            "logoutAll": { "method": "DELETE", "path": "/sessions", "attach": true },
            "sessions.list": { "method": "GET", "path": "/sessions", "attach": true },
            "sessions.revoke": { "method": "DELETE", "path": "/sessions/${id}", "attach": true },
            "me": { "method": "GET", "path": "/me", "attach": true }
          },
          "reply": {
            "encoding": "auto",
            "success": [{ "at": "/ok", "equals": true }, { "at": "/error", "exists": false }],
            "envelope": ["/data", ""],
            "anyCasing": true,
            "access": ["/access_token", "header:Authorization"],
            "refresh": ["/refresh_token", "cookie:refresh"],
            "session": "/session",
            "tokenType": "/token_type",
            "user": { "id": "/user/id", "email": "/user/email" },
            "attempt": "/attempt",
            "expiry": [
              { "in": "/expires_in", "unit": "ms", "since": "/issued_at" }, { "at": "/expires_at", "unit": "iso8601" },
              { "jwt": "exp" }, { "assume": 900 }
            ],
            "expiryBounds": { "min": 30, "max": 86400 },
            "refreshExpiry": { "sources": [{ "in": "/refresh_expires_in" }, { "assume": 604800 }], "extends": true }
          },
          "rotation": "optional",
          "reuseGrace": 30,
          "attach": {
            "header": "X-Access", "scheme": "Token", "headers": { "X-Tenant": "t-${tenant}" }, "hosts": ["api.example.com"]
          },
          "classify": [
            { "on": "refresh", "status": [400, "401-403"], "if": { "at": "/error", "oneOf": ["invalid_grant", 7, null] },
              "outcome": "sessionEnded", "reason": "revoked", "reasonAt": "/reason", "note": "over" },
            { "on": ["api", "socket"], "status": 401, "if": [{ "at": "header:WWW-Authenticate", "contains": "expired" }],
              "outcome": "accessExpired" },
            { "on": "api", "status": "5xx", "outcome": "transient" },
            { "on": "socket", "close": [4401, "4403-4405"], "outcome": "accessExpired" }
          ],
          "errors": { "code": "/error", "message": ["/message", "/detail"] },
          "policy": { "refreshBefore": 120.5, "minimumInterval": 10 },
          "replay": { "methods": ["GET", "PUT"] },
          "socket": {
            "path": "/ws/${tenant}", "token": { "header": "X-Access", "scheme": "Token" },
            "renewal": { "message": { "op": "renew", "token": "$access_token" } }
          },
          "storage": {
            "synchronizable": false,
            "imports": [
              { "access": "old.access", "refresh": "old.refresh", "expiresAt": { "item": "old.expiry", "unit": "s" },
                "synchronizable": true },
              { "access": { "itemNamedBy": { "item": "old.current", "service": "old.index" }, "service": "old.tokens",
                            "at": "/access~1token" },
                "expiresAt": { "itemNamedBy": "old.current", "at": "/end", "unit": "ms" } }
            ]
          },
          "server": {
            "rotation": "plain",
            "lifetimes": { "access": 900, "idle": 604800, "absolute": 2592000 },
            "replies": {
              "login": { "status": 201, "json": { "ok": true, "data": { "access_token": "$access_token" } } },
              "refresh": { "json": { "ok": true, "data": { "access_token": "$access_token" } },
                           "headers": { "Cache-Control": "no-store" } }
            },
            "resources": [{ "method": "GET", "path": "/posts", "reply": { "json": { "now": "$now" } } }],
            "errors": { "sessionEnded": { "status": 400, "json": { "error": "invalid_grant", "message": "$message" } } }
          },
          "facts": { "refresh": { "text": "as documented", "checked": ["D", "K"] } }
        }
        """#
}
