// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors
// Written by Scripts/embed-presets from presets/*.json and contract.schema.json. Edit those.

/// The contract files that come with the SDK.
enum EmbeddedPresets {
    static let texts: [String: String] = [
        "appwrite": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "appwrite",
  "title": "Appwrite",
  "variables": {
    "project": { "about": "The project's id; public." }
  },
  "endpoints": {
    "refresh": {
      "path": "/v1/account/jwts",
      "headers": { "X-Appwrite-Project": "$project", "X-Appwrite-Session": "$refresh_token" },
      "json": {}
    },
    "logout": {
      "method": "DELETE",
      "path": "/v1/account/sessions/current",
      "headers": { "X-Appwrite-Project": "$project", "X-Appwrite-Session": "$refresh_token" }
    },
    "logoutAll": {
      "method": "DELETE",
      "path": "/v1/account/sessions",
      "headers": { "X-Appwrite-Project": "$project" },
      "attach": true
    },
    "sessions.list": {
      "method": "GET",
      "path": "/v1/account/sessions",
      "headers": { "X-Appwrite-Project": "$project" },
      "attach": true
    },
    "sessions.revoke": {
      "method": "DELETE",
      "path": "/v1/account/sessions/${id}",
      "headers": { "X-Appwrite-Project": "$project" },
      "attach": true
    },
    "me": { "method": "GET", "path": "/v1/account", "headers": { "X-Appwrite-Project": "$project" }, "attach": true }
  },
  "reply": {
    "access": "/jwt",
    "expiry": [{ "jwt": "exp" }, { "assume": 900 }]
  },
  "rotation": "never",
  "attach": { "header": "X-Appwrite-JWT", "scheme": "", "headers": { "X-Appwrite-Project": "$project" } },
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/type", "equals": "general_unauthorized_scope" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "the session is over, so the caller is a guest and may make no token" },
    { "on": "refresh", "status": 401, "if": { "at": "/type", "equals": "user_session_not_found" },
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "the session was ended elsewhere" },
    { "on": "refresh", "status": 401, "if": { "at": "/type", "equals": "user_blocked" }, "outcome": "sessionEnded",
      "reason": "disabled",
      "note": "the account is blocked" }
  ],
  "errors": { "code": "/type", "message": "/message" },
  "facts": {
    "login": { "text": "POST /v1/account/sessions/email JSON; header X-Appwrite-Project; 201 with the session object; secret in cookie a_session_<project> or X-Fallback-Cookies header", "checked": ["I", "K"] },
    "refresh": { "text": "PATCH /v1/account/sessions/current extends; POST /v1/account/jwts mints a 15 min JWT", "checked": ["K"] },
    "success": { "text": "`{jwt}`; session object has `expire` ISO 8601, ip, os*, client*, device*, country*, current", "checked": ["I"] },
    "expiry": { "text": "`expire` ISO 8601 with offset (one year); JWT exp", "checked": ["I"] },
    "rotation": { "text": "session secret stays; 10 sessions per user by default", "checked": ["D", "K"] },
    "dead": { "text": "401 `{message, code:401, type:'general_unauthorized_scope', version}`", "checked": ["I"] },
    "access_expired": { "text": "401 user_jwt_invalid", "checked": ["K"] },
    "logout": { "text": "DELETE /v1/account/sessions/current", "checked": ["K"] },
    "logout_all": { "text": "DELETE /v1/account/sessions", "checked": ["D"] },
    "sessions": { "text": "GET /v1/account/sessions: the richest end-user list of all", "checked": ["D", "I"] },
    "websocket": { "text": "/v1/realtime?project=…, then an authentication message with the session", "checked": ["K"] },
    "roles": { "text": "the session's secret stands here for the refresh token, a 15-minute JWT for the access token", "checked": ["K"] },
    "session_header": { "text": "the server reads the session from the cookie, then from X-Appwrite-Session, then from X-Fallback-Cookies", "checked": ["S"] },
    "sign_in": { "text": "the app signs in by itself, makes a first JWT and hands both over. Not expressed: a sign-in whose secret comes in a cookie with the project's name in its own, or in a header that holds JSON", "checked": ["S", "K"] },
    "types": { "text": "user_session_not_found and user_blocked come with 401", "checked": ["K"] }
  }
}
"""##,
        "auth0": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "auth0",
  "title": "Auth0",
  "variables": {
    "client_id": { "about": "The client id of a native application." },
    "audience": { "about": "The identifier of the API that access tokens are for.", "default": "" },
    "scope": {
      "about": "The scopes of a sign-in; offline_access brings a refresh token.",
      "default": "openid profile email offline_access"
    }
  },
  "endpoints": {
    "login.password": {
      "path": "/oauth/token",
      "form": {
        "grant_type": "password",
        "client_id": "$client_id",
        "username": "$username",
        "password": "$password",
        "audience": "$audience",
        "scope": "$scope"
      }
    },
    "login.code": {
      "path": "/passwordless/start",
      "json": { "client_id": "$client_id", "connection": "email", "email": "$email", "send": "code" }
    },
    "login.code.verify": {
      "path": "/oauth/token",
      "form": {
        "grant_type": "http://auth0.com/oauth/grant-type/passwordless/otp",
        "client_id": "$client_id",
        "username": "$email",
        "otp": "$code",
        "realm": "email",
        "audience": "$audience",
        "scope": "$scope"
      }
    },
    "refresh": {
      "path": "/oauth/token",
      "form": { "grant_type": "refresh_token", "client_id": "$client_id", "refresh_token": "$refresh_token" }
    },
    "logout": { "path": "/oauth/revoke", "form": { "client_id": "$client_id", "token": "$refresh_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": [400, 403], "if": { "at": "/error", "equals": "invalid_grant" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "at the token endpoint 403 is the end of the session, not a missing permission" },
    { "on": ["login", "refresh"], "status": 403, "if": { "at": "/error", "equals": "mfa_required" },
      "outcome": "stepUp",
      "note": "a second factor is asked for; the session goes on" },
    { "on": ["login", "refresh", "logout"], "status": [400, 401, 403],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "POST /oauth/token form or JSON, authorization_code + PKCE (or password realm)", "checked": ["K"] },
    "refresh": { "text": "POST /oauth/token, `grant_type=refresh_token, client_id, refresh_token` (+ client_secret)", "checked": ["D"] },
    "success": { "text": "200 `access_token, expires_in, token_type, scope, id_token`; refresh_token only when rotation is on", "checked": ["D"] },
    "expiry": { "text": "`expires_in` seconds", "checked": ["D"] },
    "rotation": { "text": "per application; overlap period in seconds in which only the immediately previous token may be reused; older reuse revokes the family", "checked": ["D"] },
    "dead": { "text": "HTTP 403 `{error:invalid_grant, error_description:'Unknown or invalid refresh token.'}`", "checked": ["D"] },
    "access_expired": { "text": "your API decides (401)", "checked": ["K"] },
    "logout": { "text": "POST /oauth/revoke; browser /v2/logout", "checked": ["D"] },
    "logout_all": { "text": "management API (sessions, refresh tokens, device credentials)", "checked": ["D"] },
    "sessions": { "text": "management API and dashboard", "checked": ["D"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://TENANT.REGION.auth0.com or a domain of your own; the app's own API lies on another host, which the app names among its additional hosts", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got. The password grant and the e-mail code are for first-party apps and must be allowed for the application", "checked": ["K"] },
    "code": { "text": "POST /passwordless/start JSON `client_id, connection: email, email, send: code`; POST /oauth/token with grant type …/passwordless/otp, `username, otp, realm: email`", "checked": ["K"] },
    "mfa": { "text": "a refresh may be answered with `mfa_required` and an `mfa_token`; the status 403 is a third party's word (https://auth0.github.io/nextjs-auth0/classes/server.MfaRequiredError.html)", "checked": ["D", "I"] },
    "grace": { "text": "the overlap period is set for each application, so none is assumed", "checked": ["D"] }
  }
}
"""##,
        "authservice": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "authservice",
  "title": "AuthService",
  "endpoints": {
    "login.password": { "path": "/auth/login", "json": { "email": "$email", "password": "$password" } },
    "refresh": { "path": "/auth/refresh", "headers": { "Authorization": "Bearer $refresh_token" } }
  },
  "reply": {
    "access": "/access",
    "refresh": "/refresh",
    "expiry": [{ "jwt": "exp" }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 401, "outcome": "sessionEnded", "reason": "unknown",
      "note": "sign in again; the body says nothing about why" },
    { "on": "refresh", "status": 409, "if": { "at": "/error", "equals": "superseded" }, "outcome": "superseded",
      "note": "only Freshet's own server says this, of a late duplicate; the session goes on" },
    { "on": "refresh", "status": ["400-428", "430-499"], "outcome": "transient",
      "note": "every other answer is a fault of the server: keep the session" },
    { "on": "api", "status": 401, "outcome": "accessExpired",
      "note": "the access token is no longer taken: refresh, replay once" },
    { "on": "api", "status": 403, "outcome": "forbidden", "note": "no permission: never refresh" },
    { "on": "api", "status": "5xx", "outcome": "transient", "note": "try later" }
  ],
  "errors": { "code": "/error", "message": "/message" },
  "policy": { "ahead": 60 },
  "server": {
    "rotation": "plain",
    "lifetimes": { "access": 600, "idle": 2592000, "absolute": 15552000 },
    "replies": {
      "login": { "status": 200, "json": { "access": "$access_token", "refresh": "$refresh_token" } },
      "refresh": { "status": 200, "json": { "access": "$access_token", "refresh": "$refresh_token" } }
    },
    "resources": [
      {
        "method": "GET",
        "path": "/dashboard",
        "reply": { "status": 200, "json": { "email": "$email", "now": "$now" } }
      }
    ],
    "errors": {
      "accessExpired": {
        "status": 401,
        "json": { "error": "unauthorized", "message": "$message" },
        "headers": { "WWW-Authenticate": "Bearer error=\"invalid_token\"" }
      },
      "sessionEnded": { "status": 401, "json": { "error": "session_ended", "message": "$message" } },
      "superseded": { "status": 409, "json": { "error": "superseded", "message": "$message" } },
      "refused": { "status": 401, "json": { "error": "invalid_credentials", "message": "$message" } },
      "invalidRequest": { "status": 400, "json": { "error": "invalid_request", "message": "$message" } },
      "forbidden": { "status": 403, "json": { "error": "forbidden", "message": "$message" } },
      "notFound": { "status": 404, "json": { "error": "not_found", "message": "$message" } },
      "throttled": { "status": 429, "json": { "error": "too_many_requests", "message": "$message" } }
    }
  },
  "facts": {
    "login": { "text": "Not given; any login that yields an access and a refresh string", "checked": ["S"] },
    "refresh": { "text": "POST /auth/refresh, no body, refresh token in `Authorization: Bearer`", "checked": ["S"] },
    "success": { "text": "200 `{access, refresh}`, both always present", "checked": ["S"] },
    "expiry": { "text": "JWT `exp` only, with 60 s skew", "checked": ["S"] },
    "rotation": { "text": "always (a new refresh value is required in the reply)", "checked": ["S"] },
    "dead": { "text": "401, body unspecified; every other non-200 is a server fault, not a logout", "checked": ["S"] },
    "access_expired": { "text": "401; 403 means no permission and must not trigger a refresh; 5xx is retry later", "checked": ["S"] },
    "logout": { "text": "none", "checked": ["S"] },
    "sessions": { "text": "none", "checked": ["S"] },
    "websocket": { "text": "none", "checked": ["S"] },
    "login_path": { "text": "the login's path is not given; POST /auth/login JSON `email, password` is ours", "checked": ["K"] },
    "lifetimes": { "text": "access 5 to 15 minutes, refresh days to months; our server takes 10 minutes, 30 days idle, 180 days in all", "checked": ["S", "K"] },
    "bodies": { "text": "error bodies and the dashboard's body are not given; the server's `{error, message}` and `{email, now}` are ours", "checked": ["K"] }
  }
}
"""##,
        "bitbasel": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "bitbasel",
  "title": "BitBasel",
  "endpoints": {
    "login.apple": { "path": "/auth/apple", "json": { "identity_token": "$identity_token", "nonce": "$nonce" } },
    "login.code": { "path": "/auth/code", "json": { "email": "$email" } },
    "login.code.verify": { "path": "/auth/code/verify", "json": { "email": "$email", "code": "$code" } },
    "refresh": { "path": "/auth/refresh", "json": { "refresh_token": "$refresh_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "user": { "id": "/user_id", "email": "/email" },
    "expiry": [{ "jwt": "exp" }, { "assume": 1800 }],
    "refreshExpiry": { "sources": [{ "assume": 604800 }], "extends": false }
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/detail", "equals": "Invalid or expired refresh token" },
      "outcome": "sessionEnded", "reason": "expired",
      "note": "the seven days are over, or the token is not one of theirs: Apple sign-in again" },
    { "on": "refresh", "status": 401, "outcome": "sessionEnded", "reason": "unknown",
      "note": "the token's form is wrong: clear, Apple sign-in again" },
    { "on": "api", "status": 401, "outcome": "accessExpired",
      "note": "the access token is no longer taken: refresh, replay once" },
    { "on": "api", "status": 403, "outcome": "forbidden",
      "note": "over HTTP 403 is no permission; only at the socket it means expired" },
    { "on": "socket", "status": 403, "outcome": "accessExpired",
      "note": "the handshake is refused because the token has expired: refresh, reconnect" }
  ],
  "errors": { "message": "/detail" },
  "policy": { "ahead": 300 },
  "socket": { "path": "/ws/feed", "token": { "query": "token" }, "renewal": "reconnect" },
  "server": {
    "rotation": "static",
    "lifetimes": { "access": 1800, "idle": 604800, "absolute": 604800 },
    "replies": {
      "login": {
        "status": 200,
        "json": {
          "access_token": "$access_token",
          "refresh_token": "$refresh_token",
          "token_type": "bearer",
          "user_id": "$user_number",
          "email": "$email",
          "has_profile": true
        }
      },
      "refresh": {
        "status": 200,
        "json": {
          "access_token": "$access_token",
          "refresh_token": "$refresh_token",
          "token_type": "bearer",
          "user_id": "$user_number",
          "email": "$email",
          "has_profile": true
        }
      },
      "login.code": { "status": 200, "json": { "message": "$message" } }
    },
    "resources": [
      { "method": "GET", "path": "/posts/feed", "reply": { "status": 200, "json": { "posts": [] } } }
    ],
    "errors": {
      "accessExpired": {
        "status": 401,
        "json": { "detail": "$message" },
        "headers": { "WWW-Authenticate": "Bearer error=\"invalid_token\"" }
      },
      "sessionEnded": { "status": 401, "json": { "detail": "Invalid or expired refresh token" } },
      "superseded": { "status": 409, "json": { "detail": "$message" } },
      "refused": { "status": 401, "json": { "detail": "$message" } },
      "invalidRequest": { "status": 400, "json": { "detail": "$message" } },
      "forbidden": { "status": 403, "json": { "detail": "$message" } },
      "notFound": { "status": 404, "json": { "detail": "$message" } },
      "throttled": { "status": 429, "json": { "detail": "$message" } }
    }
  },
  "facts": {
    "login": { "text": "Sign in with Apple exchange (path not given); reply has access_token, refresh_token, token_type 'bearer', user_id (integer), email (nullable), has_profile", "checked": ["S"] },
    "refresh": { "text": "POST /auth/refresh, JSON `refresh_token`", "checked": ["S"] },
    "success": { "text": "200 flat snake_case; the same profile fields again; `refresh_token` is the SAME value; may be absent (the app's model makes it optional). Not expressed: `has_profile`, a fact about the user beside id and email", "checked": ["S"] },
    "expiry": { "text": "none in the reply: JWT `exp`; documented lifetimes 30 min / 7 days; 5 min buffer", "checked": ["S"] },
    "rotation": { "text": "never (same value returned); rotation named as a later option, so the contract must accept a change", "checked": ["S"] },
    "dead": { "text": "401 `{\"detail\":\"Invalid or expired refresh token\"}`", "checked": ["S"] },
    "access_expired": { "text": "401", "checked": ["S"] },
    "logout": { "text": "client-side clear only", "checked": ["S"] },
    "sessions": { "text": "none", "checked": ["S"] },
    "websocket": { "text": "`ws://…/ws/feed?token=ACCESS`; 403 when the token has expired, then refresh and reconnect. Not expressed: 403 on close, since no close code is given; and how our server refuses a handshake, for which `server` has no place", "checked": ["S"] },
    "login_path": { "text": "the login's path is not given; POST /auth/apple JSON `identity_token, nonce` is ours, as is the e-mail code (POST /auth/code, /auth/code/verify), which stands here for tests", "checked": ["K"] },
    "bodies": { "text": "error bodies other than the dead refresh token's, and the feed's body, are not given; the server's are ours", "checked": ["K"] }
  }
}
"""##,
        "cognito-oauth": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "cognito-oauth",
  "title": "AWS Cognito hosted sign-in",
  "variables": {
    "client_id": { "about": "The id of a public app client of the user pool." }
  },
  "endpoints": {
    "refresh": {
      "path": "/oauth2/token",
      "form": { "grant_type": "refresh_token", "client_id": "$client_id", "refresh_token": "$refresh_token" }
    },
    "logout": { "path": "/oauth2/revoke", "form": { "token": "$refresh_token", "client_id": "$client_id" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "invalid, expired, revoked, or issued to another client (RFC 6749 section 5.2)" },
    { "on": ["refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "hosted pages, authorization code + PKCE, POST /oauth2/token form", "checked": ["D"] },
    "refresh": { "text": "POST /oauth2/token form `grant_type=refresh_token, client_id, refresh_token`; Basic header when the client has a secret", "checked": ["D"] },
    "success": { "text": "200 `id_token, access_token, expires_in, token_type`; refresh_token only when rotation is on", "checked": ["D"] },
    "expiry": { "text": "`expires_in` seconds", "checked": ["D"] },
    "rotation": { "text": "off by default; when on, a retry grace of 0 to 60 s", "checked": ["D"] },
    "dead": { "text": "400 `{error:invalid_grant}`", "checked": ["K"] },
    "access_expired": { "text": "401 from an API gateway authoriser", "checked": ["K"] },
    "logout": { "text": "POST /oauth2/revoke (revokes the token's descendants)", "checked": ["D"] },
    "sessions": { "text": "see the JSON API", "checked": ["D"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://PREFIX.auth.REGION.amazoncognito.com or a domain of your own; the app's own API lies on another host, which the app names among its additional hosts", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["K"] },
    "grace": { "text": "the retry grace is set for each app client, so none is assumed", "checked": ["D"] }
  }
}
"""##,
        "cognito-rotating": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "cognito-rotating",
  "title": "AWS Cognito user pools with refresh token rotation",
  "variables": {
    "client_id": { "about": "The id of a public app client of the user pool, with refresh token rotation." },
    "device_key": { "about": "The key of the remembered device, if the pool remembers devices.", "default": "" }
  },
  "endpoints": {
    "login.password": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth" },
      "contentType": "application/x-amz-json-1.1",
      "json": {
        "AuthFlow": "USER_PASSWORD_AUTH",
        "ClientId": "$client_id",
        "AuthParameters": { "USERNAME": "$username", "PASSWORD": "$password", "DEVICE_KEY": "$device_key" }
      }
    },
    "refresh": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.GetTokensFromRefreshToken" },
      "contentType": "application/x-amz-json-1.1",
      "json": { "ClientId": "$client_id", "RefreshToken": "$refresh_token", "DeviceKey": "$device_key" }
    },
    "logout": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.RevokeToken" },
      "contentType": "application/x-amz-json-1.1",
      "json": { "ClientId": "$client_id", "Token": "$refresh_token" }
    },
    "logoutAll": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.GlobalSignOut" },
      "contentType": "application/x-amz-json-1.1",
      "json": { "AccessToken": "$access_token" }
    },
    "me": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.GetUser" },
      "contentType": "application/x-amz-json-1.1",
      "json": { "AccessToken": "$access_token" }
    }
  },
  "reply": {
    "envelope": "/AuthenticationResult",
    "access": "/AccessToken",
    "refresh": "/RefreshToken",
    "tokenType": "/TokenType",
    "expiry": [{ "in": "/ExpiresIn", "unit": "s" }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "login", "status": 200, "if": { "at": "/ChallengeName", "exists": true }, "outcome": "refused",
      "note": "a further step is asked for; its name is the code" },
    { "on": ["login", "refresh", "logout"], "status": 400,
      "if": { "at": "/__type", "contains": "TooManyRequestsException" }, "outcome": "throttled",
      "note": "too many requests, said with 400" },
    { "on": ["login", "refresh", "logout"], "status": 400,
      "if": { "at": "/__type", "contains": "LimitExceededException" }, "outcome": "throttled",
      "note": "a quota, said with 400" },
    { "on": ["login", "refresh"], "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" }, { "at": "/message", "contains": "secret" }],
      "outcome": "misconfigured",
      "note": "the app client has a secret; an app needs one that has none" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "refresh token has expired" }],
      "outcome": "sessionEnded", "reason": "expired",
      "note": "the pool's lifetime of refresh tokens" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "token has been revoked" }],
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "signed out everywhere, or revoked" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "user is disabled" }],
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is disabled" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "invalid refresh token" }],
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "no token of this pool and client; other texts are a matter of configuration" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "RefreshTokenReuseException" },
      "outcome": "sessionEnded", "reason": "reused",
      "note": "rotated out, and past the grace period" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "UserNotFoundException" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is gone" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "PasswordResetRequiredException" },
      "outcome": "stepUp",
      "note": "the user must choose a new password" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "Lambda" }, "outcome": "transient",
      "note": "one of the pool's triggers failed" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "ForbiddenException" },
      "outcome": "transient",
      "note": "the pool's web firewall refused the request, not the token" },
    { "on": "api", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "access token has expired" }],
      "outcome": "accessExpired",
      "note": "calls to the pool itself say it with 400" },
    { "on": "api", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "access token has been revoked" }],
      "outcome": "accessExpired",
      "note": "the same; the refresh tells whether the session is over" }
  ],
  "errors": { "code": ["/__type", "/ChallengeName"], "message": "/message" },
  "facts": {
    "login": { "text": "POST / with X-Amz-Target …InitiateAuth, `AuthFlow, ClientId, AuthParameters{USERNAME,PASSWORD}`; 200 may carry ChallengeName instead of tokens", "checked": ["S"] },
    "refresh": { "text": "POST / X-Amz-Target …GetTokensFromRefreshToken `RefreshToken, ClientId, DeviceKey`; it serves clients with and without rotation; Content-Type application/x-amz-json-1.1", "checked": ["S"] },
    "success": { "text": "200 PascalCase in `AuthenticationResult{AccessToken, IdToken, ExpiresIn, TokenType}`, with RefreshToken where rotation is on", "checked": ["S"] },
    "expiry": { "text": "`ExpiresIn` seconds", "checked": ["R"] },
    "rotation": { "text": "never, or with rotation on only through GetTokensFromRefreshToken (InitiateAuth then refuses)", "checked": ["D"] },
    "dead": { "text": "400 `{__type:NotAuthorizedException,message}`; RefreshTokenReuseException after rotation; TooManyRequestsException is retryable", "checked": ["S"] },
    "access_expired": { "text": "401 at your gateway; user-facing API calls 400 NotAuthorizedException 'Access Token has expired'", "checked": ["K"] },
    "logout": { "text": "RevokeToken", "checked": ["S"] },
    "logout_all": { "text": "GlobalSignOut (bearer in body AccessToken)", "checked": ["S"] },
    "sessions": { "text": "ListDevices / ForgetDevice: key, created, modified, last authenticated", "checked": ["S"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://cognito-idp.REGION.amazonaws.com; the app's own API lies on another host, which the app names among its additional hosts", "checked": ["K"] },
    "challenge": { "text": "a sign-in may answer 200 with `ChallengeName, Session` and no tokens. Not expressed: the answer to a challenge", "checked": ["S"] },
    "texts": { "text": "texts of NotAuthorizedException at a refresh: 'Refresh Token has expired', 'Refresh Token has been revoked', 'User is disabled.', 'Invalid Refresh Token'; others, as a missing SECRET_HASH, concern the client. The second was seen on an imitation of the service", "checked": ["R", "K"] },
    "throttling": { "text": "TooManyRequestsException and LimitExceededException come with 400", "checked": ["S", "K"] },
    "namespace": { "text": "an error's class may carry a namespace before '#'", "checked": ["S"] },
    "secret": { "text": "a client with a secret wants SECRET_HASH, an HMAC for each user. Not expressed: computed values", "checked": ["K"] },
    "grace": { "text": "the rotated token stays valid for up to 60 s, as the app client is set; no grace is assumed", "checked": ["S"] }
  }
}
"""##,
        "cognito": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "cognito",
  "title": "AWS Cognito user pools",
  "variables": {
    "client_id": { "about": "The id of a public app client of the user pool." },
    "device_key": { "about": "The key of the remembered device, if the pool remembers devices.", "default": "" }
  },
  "endpoints": {
    "login.password": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth" },
      "contentType": "application/x-amz-json-1.1",
      "json": {
        "AuthFlow": "USER_PASSWORD_AUTH",
        "ClientId": "$client_id",
        "AuthParameters": { "USERNAME": "$username", "PASSWORD": "$password", "DEVICE_KEY": "$device_key" }
      }
    },
    "refresh": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth" },
      "contentType": "application/x-amz-json-1.1",
      "json": {
        "AuthFlow": "REFRESH_TOKEN_AUTH",
        "ClientId": "$client_id",
        "AuthParameters": { "REFRESH_TOKEN": "$refresh_token", "DEVICE_KEY": "$device_key" }
      }
    },
    "logout": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.RevokeToken" },
      "contentType": "application/x-amz-json-1.1",
      "json": { "ClientId": "$client_id", "Token": "$refresh_token" }
    },
    "logoutAll": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.GlobalSignOut" },
      "contentType": "application/x-amz-json-1.1",
      "json": { "AccessToken": "$access_token" }
    },
    "me": {
      "path": "/",
      "headers": { "X-Amz-Target": "AWSCognitoIdentityProviderService.GetUser" },
      "contentType": "application/x-amz-json-1.1",
      "json": { "AccessToken": "$access_token" }
    }
  },
  "reply": {
    "envelope": "/AuthenticationResult",
    "access": "/AccessToken",
    "refresh": "/RefreshToken",
    "tokenType": "/TokenType",
    "expiry": [{ "in": "/ExpiresIn", "unit": "s" }]
  },
  "rotation": "never",
  "classify": [
    { "on": "login", "status": 200, "if": { "at": "/ChallengeName", "exists": true }, "outcome": "refused",
      "note": "a further step is asked for; its name is the code" },
    { "on": ["login", "refresh", "logout"], "status": 400,
      "if": { "at": "/__type", "contains": "TooManyRequestsException" }, "outcome": "throttled",
      "note": "too many requests, said with 400" },
    { "on": ["login", "refresh", "logout"], "status": 400,
      "if": { "at": "/__type", "contains": "LimitExceededException" }, "outcome": "throttled",
      "note": "a quota, said with 400" },
    { "on": ["login", "refresh"], "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" }, { "at": "/message", "contains": "secret" }],
      "outcome": "misconfigured",
      "note": "the app client has a secret; an app needs one that has none" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "refresh token has expired" }],
      "outcome": "sessionEnded", "reason": "expired",
      "note": "the pool's lifetime of refresh tokens" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "token has been revoked" }],
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "signed out everywhere, or revoked" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "user is disabled" }],
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is disabled" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "invalid refresh token" }],
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "no token of this pool and client; other texts are a matter of configuration" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "RefreshTokenReuseException" },
      "outcome": "sessionEnded", "reason": "reused",
      "note": "rotated out, and past the grace period" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "UserNotFoundException" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is gone" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "PasswordResetRequiredException" },
      "outcome": "stepUp",
      "note": "the user must choose a new password" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "Lambda" }, "outcome": "transient",
      "note": "one of the pool's triggers failed" },
    { "on": "refresh", "status": 400, "if": { "at": "/__type", "contains": "ForbiddenException" },
      "outcome": "transient",
      "note": "the pool's web firewall refused the request, not the token" },
    { "on": "api", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "access token has expired" }],
      "outcome": "accessExpired",
      "note": "calls to the pool itself say it with 400" },
    { "on": "api", "status": 400,
      "if": [{ "at": "/__type", "contains": "NotAuthorizedException" },
             { "at": "/message", "contains": "access token has been revoked" }],
      "outcome": "accessExpired",
      "note": "the same; the refresh tells whether the session is over" }
  ],
  "errors": { "code": ["/__type", "/ChallengeName"], "message": "/message" },
  "facts": {
    "login": { "text": "POST / with X-Amz-Target …InitiateAuth, `AuthFlow, ClientId, AuthParameters{USERNAME,PASSWORD}`; 200 may carry ChallengeName instead of tokens", "checked": ["S"] },
    "refresh": { "text": "POST / X-Amz-Target …InitiateAuth `AuthFlow=REFRESH_TOKEN_AUTH, AuthParameters.REFRESH_TOKEN` or …GetTokensFromRefreshToken `RefreshToken, ClientId`; Content-Type application/x-amz-json-1.1", "checked": ["S"] },
    "success": { "text": "200 PascalCase in `AuthenticationResult{AccessToken, IdToken, ExpiresIn, TokenType}`; RefreshToken absent on refresh", "checked": ["R"] },
    "expiry": { "text": "`ExpiresIn` seconds", "checked": ["R"] },
    "rotation": { "text": "never, or with rotation on only through GetTokensFromRefreshToken (InitiateAuth then refuses)", "checked": ["D"] },
    "dead": { "text": "400 `{__type:NotAuthorizedException,message}`; RefreshTokenReuseException after rotation; TooManyRequestsException is retryable", "checked": ["S"] },
    "access_expired": { "text": "401 at your gateway; user-facing API calls 400 NotAuthorizedException 'Access Token has expired'", "checked": ["K"] },
    "logout": { "text": "RevokeToken", "checked": ["S"] },
    "logout_all": { "text": "GlobalSignOut (bearer in body AccessToken)", "checked": ["S"] },
    "sessions": { "text": "ListDevices / ForgetDevice: key, created, modified, last authenticated", "checked": ["S"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://cognito-idp.REGION.amazonaws.com; the app's own API lies on another host, which the app names among its additional hosts", "checked": ["K"] },
    "challenge": { "text": "a sign-in may answer 200 with `ChallengeName, Session` and no tokens. Not expressed: the answer to a challenge", "checked": ["S"] },
    "texts": { "text": "texts of NotAuthorizedException at a refresh: 'Refresh Token has expired', 'Refresh Token has been revoked', 'User is disabled.', 'Invalid Refresh Token'; others, as a missing SECRET_HASH, concern the client. The second was seen on an imitation of the service", "checked": ["R", "K"] },
    "throttling": { "text": "TooManyRequestsException and LimitExceededException come with 400", "checked": ["S", "K"] },
    "namespace": { "text": "an error's class may carry a namespace before '#'", "checked": ["S"] },
    "secret": { "text": "a client with a secret wants SECRET_HASH, an HMAC for each user. Not expressed: computed values", "checked": ["K"] }
  }
}
"""##,
        "creatist": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "creatist",
  "title": "Creatist",
  "endpoints": {
    "login.password": { "path": "/auth/login", "json": { "email": "$email", "password": "$password" } },
    "refresh": { "path": "/auth/refresh", "json": { "refresh_token": "$refresh_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "expiry": [{ "in": "/expires_in", "unit": "s" }, { "jwt": "exp" }, { "assume": 900 }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 401, "outcome": "sessionEnded", "reason": "unknown",
      "note": "the status is not given: ours, and the usual one" },
    { "on": "refresh", "status": 409, "if": { "at": "/error", "equals": "superseded" }, "outcome": "superseded",
      "note": "only Freshet's own server says this, of a late duplicate; the session goes on" },
    { "on": "api", "status": 401, "outcome": "accessExpired",
      "note": "the access token is no longer taken: refresh, replay once" }
  ],
  "errors": { "code": "/error", "message": "/message" },
  "policy": { "ahead": 300 },
  "storage": {
    "synchronizable": false,
    "imports": [
      {
        "access": "accessToken",
        "refresh": "refreshToken",
        "expiresAt": { "item": "tokenExpirationTime", "unit": "s" }
      }
    ]
  },
  "server": {
    "rotation": "plain",
    "lifetimes": { "access": 900, "idle": 2592000, "absolute": 15552000 },
    "replies": {
      "login": {
        "status": 200,
        "json": { "access_token": "$access_token", "refresh_token": "$refresh_token", "expires_in": "$expires_in" }
      },
      "refresh": {
        "status": 200,
        "json": { "access_token": "$access_token", "refresh_token": "$refresh_token", "expires_in": "$expires_in" }
      }
    },
    "resources": [
      {
        "method": "GET",
        "path": "/profile",
        "reply": { "status": 200, "json": { "id": "$user_id", "email": "$email" } }
      },
      { "method": "GET", "path": "/items", "reply": { "status": 200, "json": { "owner": "$user_id", "items": [] } } }
    ],
    "errors": {
      "accessExpired": {
        "status": 401,
        "json": { "error": "unauthorized", "message": "$message" },
        "headers": { "WWW-Authenticate": "Bearer error=\"invalid_token\"" }
      },
      "sessionEnded": { "status": 401, "json": { "error": "session_ended", "message": "$message" } },
      "superseded": { "status": 409, "json": { "error": "superseded", "message": "$message" } },
      "refused": { "status": 401, "json": { "error": "invalid_credentials", "message": "$message" } },
      "invalidRequest": { "status": 400, "json": { "error": "invalid_request", "message": "$message" } },
      "forbidden": { "status": 403, "json": { "error": "forbidden", "message": "$message" } },
      "notFound": { "status": 404, "json": { "error": "not_found", "message": "$message" } },
      "throttled": { "status": 429, "json": { "error": "too_many_requests", "message": "$message" } }
    }
  },
  "facts": {
    "login": { "text": "path not given; reply `access_token`, `refresh_token`, `expires_in`", "checked": ["S"] },
    "refresh": { "text": "/auth/refresh with the refresh token (place not given: make it JSON `refresh_token` by default and configurable)", "checked": ["S"] },
    "success": { "text": "200 `access_token`, `expires_in`; a new `refresh_token` is recommended, not promised", "checked": ["S"] },
    "expiry": { "text": "`expires_in` seconds, may be missing; 15 min in use; 5 min buffer", "checked": ["S"] },
    "rotation": { "text": "optional (backend should rotate)", "checked": ["S"] },
    "dead": { "text": "refresh fails, then the next 401 logs out", "checked": ["S"] },
    "access_expired": { "text": "401, one retry", "checked": ["S"] },
    "logout": { "text": "client-side clear and stop the timer", "checked": ["S"] },
    "sessions": { "text": "multiple concurrent sessions wanted later", "checked": ["S"] },
    "websocket": { "text": "none", "checked": ["S"] },
    "storage": { "text": "Keychain keys accessToken, refreshToken, tokenExpirationTime (Unix seconds as text, may have a fraction)", "checked": ["S"] },
    "login_path": { "text": "the login's path is not given; POST /auth/login JSON `email, password` is ours, as are the example resources GET /profile and GET /items", "checked": ["K"] },
    "bodies": { "text": "error bodies are not given; the server's `{error, message}` with 401 for a dead refresh token is ours", "checked": ["K"] }
  }
}
"""##,
        "directus": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "directus",
  "title": "Directus",
  "endpoints": {
    "login.password": {
      "path": "/auth/login",
      "json": { "email": "$email", "password": "$password", "otp": "$code", "mode": "json" }
    },
    "refresh": { "path": "/auth/refresh", "json": { "refresh_token": "$refresh_token", "mode": "json" } },
    "logout": { "path": "/auth/logout", "json": { "refresh_token": "$refresh_token", "mode": "json" } },
    "me": { "method": "GET", "path": "/users/me", "attach": true }
  },
  "reply": {
    "envelope": "/data",
    "access": "/access_token",
    "refresh": "/refresh_token",
    "expiry": [{ "in": "/expires", "unit": "ms" }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/errors/0/extensions/code", "equals": "INVALID_CREDENTIALS" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "unknown, expired or rotated out" },
    { "on": "refresh", "status": [401, 403], "if": { "at": "/errors/0/extensions/code", "equals": "USER_SUSPENDED" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is suspended" },
    { "on": "api", "status": 403, "if": { "at": "/errors/0/extensions/code", "equals": "INVALID_TOKEN" },
      "outcome": "accessExpired",
      "note": "the token is malformed or signed with an older key; without this code 403 means no permission" }
  ],
  "errors": { "code": "/errors/0/extensions/code", "message": "/errors/0/message" },
  "socket": {
    "path": "/websocket",
    "token": { "message": { "type": "auth", "access_token": "$access_token" } },
    "renewal": { "message": { "type": "auth", "access_token": "$access_token" } }
  },
  "facts": {
    "login": { "text": "POST /auth/login JSON `email, password, otp?, mode: json|cookie|session`", "checked": ["S"] },
    "refresh": { "text": "POST /auth/refresh JSON `refresh_token, mode` or cookie directus_refresh_token", "checked": ["S"] },
    "success": { "text": "200 `{data:{access_token, refresh_token, expires}}`; cookie mode leaves refresh_token out; session mode sets one cookie", "checked": ["S"] },
    "expiry": { "text": "`expires` is a lifetime in MILLISECONDS (900000)", "checked": ["D"] },
    "rotation": { "text": "always", "checked": ["K"] },
    "dead": { "text": "401 `{errors:[{message, extensions:{code:'INVALID_CREDENTIALS'}}]}`; missing token 400 INVALID_PAYLOAD", "checked": ["D", "S"] },
    "access_expired": { "text": "401 TOKEN_EXPIRED in errors[0].extensions.code; a malformed token is 403 INVALID_TOKEN", "checked": ["D"] },
    "logout": { "text": "POST /auth/logout JSON `refresh_token, mode`, 204", "checked": ["S"] },
    "sessions": { "text": "table of sessions with IP, agent, next token (admin)", "checked": ["K"] },
    "websocket": { "text": "handshake mode (default): first message `{type:'auth', access_token}` or with refresh_token or credentials; strict mode: access_token in the query", "checked": ["D"] },
    "suspended": { "text": "USER_SUSPENDED is the code of a suspended account; its status is not certain", "checked": ["K"] },
    "socket_path": { "text": "/websocket unless the server's settings name another path", "checked": ["K"] },
    "socket_renewal": { "text": "the same message on an open socket renews its authentication: the server checks tokens as it goes and asks for another one with TOKEN_EXPIRED", "checked": ["K"] },
    "session_mode": { "text": "the mode `session` has one cookie and refreshes only before its end; this contract uses the mode `json`", "checked": ["S"] }
  }
}
"""##,
        "discord": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "discord",
  "title": "Discord",
  "variables": {
    "client_id": { "about": "The application's id." }
  },
  "secrets": { "client_secret": { "about": "Not for an application that is set up as a public client." } },
  "endpoints": {
    "refresh": {
      "path": "/api/oauth2/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": {
      "path": "/api/oauth2/token/revoke",
      "form": {
        "token": "$refresh_token",
        "token_type_hint": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret"
      }
    },
    "me": { "method": "GET", "path": "/api/users/@me", "attach": true }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "invalid, expired, revoked, or issued to another client (RFC 6749 section 5.2)" },
    { "on": ["refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "code, POST /api/oauth2/token form only (JSON is refused)", "checked": ["D"] },
    "refresh": { "text": "POST /api/oauth2/token form `client_id, client_secret, grant_type, refresh_token` or Basic", "checked": ["D"] },
    "success": { "text": "200 `access_token, token_type, expires_in, refresh_token, scope`", "checked": ["D"] },
    "expiry": { "text": "`expires_in` seconds (604800)", "checked": ["D"] },
    "rotation": { "text": "always", "checked": ["D"] },
    "dead": { "text": "400 `{error:'invalid_grant'}`", "checked": ["K"] },
    "access_expired": { "text": "401 `{message:'401: Unauthorized', code:0}`", "checked": ["K"] },
    "logout": { "text": "POST /api/oauth2/token/revoke", "checked": ["D"] },
    "sessions": { "text": "n/a", "checked": ["K"] },
    "websocket": { "text": "gateway: token in the identify message; close codes 4004 etc.", "checked": ["K"] },
    "base_url": { "text": "https://discord.com, for tokens and for APIs", "checked": ["D"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["K"] },
    "public_client": { "text": "an application may be set up as a public client, which has no secret", "checked": ["K"] },
    "retry_after": { "text": "429 names `retry_after` in its body as a fraction of seconds. Not expressed: a delay in the body; the Retry-After header is read", "checked": ["K"] },
    "gateway": { "text": "Not expressed: the gateway, which lies on another host and takes bot tokens", "checked": ["K"] }
  }
}
"""##,
        "django-oauth-toolkit": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "django-oauth-toolkit",
  "title": "Django OAuth Toolkit",
  "variables": {
    "client_id": { "about": "The app's client id, as registered; public." },
    "scope": { "about": "The scopes to ask for; without them those that were granted.", "default": "" }
  },
  "endpoints": {
    "login.password": {
      "path": "/o/token/",
      "form": {
        "grant_type": "password",
        "client_id": "$client_id",
        "username": "$username",
        "password": "$password",
        "scope": "$scope"
      }
    },
    "refresh": {
      "path": "/o/token/",
      "form": { "grant_type": "refresh_token", "client_id": "$client_id", "refresh_token": "$refresh_token" }
    },
    "logout": {
      "path": "/o/revoke_token/",
      "form": { "token": "$refresh_token", "token_type_hint": "refresh_token", "client_id": "$client_id" }
    }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "invalid, expired, revoked or used again; with reuse protection its successor is void too" },
    { "on": ["login", "refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" },
    { "on": "api", "status": 403,
      "if": [{ "at": "header:Content-Length", "equals": "0" }, { "at": "header:Content-Type", "contains": "html" }],
      "outcome": "accessExpired",
      "note": "views with the library's own decorator refuse a token with an empty 403" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "POST /o/token/ form (code, password)", "checked": ["R"] },
    "refresh": { "text": "POST /o/token/ form `grant_type, refresh_token, client_id`", "checked": ["R"] },
    "success": { "text": "200 `access_token, expires_in, token_type, scope, refresh_token`", "checked": ["R"] },
    "expiry": { "text": "`expires_in` seconds (36000)", "checked": ["R"] },
    "rotation": { "text": "always; with reuse protection a replay also kills the successor; the grace period has had bugs (returns the old refresh token, or accepts several generations back)", "checked": ["R", "I"] },
    "dead": { "text": "400 `{\"error\":\"invalid_grant\"}`; missing client 401 invalid_client", "checked": ["R"] },
    "access_expired": { "text": "401, WWW-Authenticate Bearer with error=\"invalid_token\"", "checked": ["R"] },
    "logout": { "text": "POST /o/revoke_token/", "checked": ["K"] },
    "sessions": { "text": "authorised tokens page", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "sign_in": { "text": "the password grant must be allowed for the application; otherwise a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["R", "K"] },
    "revocation": { "text": "POST /o/revoke_token/ form `token, client_id, token_type_hint` is 200 with an empty body that is called text/html, also for a token that is revoked already", "checked": ["R"] },
    "form_only": { "text": "a JSON body is answered with 400 unsupported_grant_type", "checked": ["R"] },
    "more_errors": { "text": "a wrong password is 400 invalid_grant, a missing refresh token 400 invalid_request, a wrong or missing client 401 invalid_client", "checked": ["R"] },
    "decorator": { "text": "a bad token is 401 through Django REST framework, and 403 with an empty body through the decorator protected_resource", "checked": ["R"] },
    "inactive": { "text": "a disabled account's refreshes still succeed (3.4.1)", "checked": ["R"] },
    "grace": { "text": "no grace period by default, so none is assumed; within one a used token brings the same answer again until the successor is used, and then counts as reuse (3.4.1)", "checked": ["R"] }
  }
}
"""##,
        "doorkeeper": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "doorkeeper",
  "title": "Rails with Doorkeeper",
  "variables": {
    "client_id": { "about": "The application's id, if the server wants one; public.", "default": "" },
    "scope": { "about": "The scopes to ask for; without them those that were granted.", "default": "" }
  },
  "endpoints": {
    "login.password": {
      "path": "/oauth/token",
      "form": {
        "grant_type": "password",
        "client_id": "$client_id",
        "username": "$username",
        "password": "$password",
        "scope": "$scope"
      }
    },
    "refresh": {
      "path": "/oauth/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "scope": "$scope",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": {
      "path": "/oauth/revoke",
      "form": { "token": "$refresh_token", "token_type_hint": "refresh_token", "client_id": "$client_id" }
    }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s", "since": "/created_at" }, { "assume": 7200 }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": [400, 401], "if": { "at": "/error", "equals": "invalid_grant" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "revoked, expired or issued to another client; old versions say it with 401" },
    { "on": ["login", "refresh", "logout"], "status": [400, 401, 403],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "POST /oauth/token form (password, code)", "checked": ["K"] },
    "refresh": { "text": "POST /oauth/token form `grant_type, refresh_token, client_id?, client_secret?, scope?`", "checked": ["S"] },
    "success": { "text": "200 `access_token, token_type, expires_in, refresh_token, scope, created_at`", "checked": ["K"] },
    "expiry": { "text": "`expires_in` seconds from `created_at` epoch seconds", "checked": ["K"] },
    "rotation": { "text": "always; revoke at once, or (with previous_refresh_token) only when the new access token is first used", "checked": ["S"] },
    "dead": { "text": "400 invalid_grant now; 401 invalid_grant in old versions (with WWW-Authenticate)", "checked": ["S", "K"] },
    "access_expired": { "text": "401 + WWW-Authenticate: Bearer error=\"invalid_token\"", "checked": ["K"] },
    "logout": { "text": "POST /oauth/revoke", "checked": ["K"] },
    "sessions": { "text": "authorised applications page", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "sign_in": { "text": "the password grant must be switched on, and the app's code decides what a user name is; otherwise a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["K"] },
    "old_status": { "text": "old versions answer every OAuth error with 401 and WWW-Authenticate", "checked": ["S"] },
    "grace": { "text": "Not expressed: with `previous_refresh_token` an old refresh token is good until the new access token is used, which is no number of seconds", "checked": ["S"] },
    "lifetime": { "text": "2 hours by default", "checked": ["K"] }
  }
}
"""##,
        "entra": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "entra",
  "title": "Microsoft Entra ID",
  "variables": {
    "tenant": { "about": "The tenant's id or domain; or common, organizations or consumers." },
    "client_id": { "about": "The application (client) id of a public client." },
    "scope": {
      "about": "The scopes of the access token, of one API; without them those that were granted.",
      "default": ""
    }
  },
  "endpoints": {
    "refresh": {
      "path": "/${tenant}/oauth2/v2.0/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "scope": "$scope",
        "refresh_token": "$refresh_token"
      }
    }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "always",
  "reuseGrace": 86400,
  "attach": { "hosts": ["https://graph.microsoft.com"] },
  "classify": [
    { "on": "refresh", "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["interaction_required", "login_required", "consent_required"] },
      "outcome": "stepUp",
      "note": "ask the user for a step; it is no sign-out" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/suberror",
               "oneOf": ["basic_action", "additional_action", "message_only", "consent_required",
                         "user_password_expired"] }],
      "outcome": "stepUp",
      "note": "invalid_grant that a step of the user mends" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_codes/0",
               "oneOf": [50072, 50074, 50076, 50079, 50158, 53000, 53001, 53002, 53003, 65001] }],
      "outcome": "stepUp",
      "note": "a second factor, conditional access or consent; codes may change, so all others count as below" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_codes/0", "oneOf": [70008, 700082, 700084] }],
      "outcome": "sessionEnded", "reason": "expired",
      "note": "unused for too long, or the fixed life of a single-page app's token" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_codes/0", "oneOf": [50132, 50133, 50173] }],
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "revoked, mostly after a change of password" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" }, { "at": "/error_codes/0", "equals": 50057 }],
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is disabled" },
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "invalid, expired, revoked, or issued to another client (RFC 6749 section 5.2)" },
    { "on": "refresh", "status": [400, 503], "if": { "at": "/error", "equals": "temporarily_unavailable" },
      "outcome": "transient",
      "note": "the vendor asks to try again" },
    { "on": "refresh", "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" },
    { "on": "api", "status": 401, "if": { "at": "header:WWW-Authenticate", "contains": "insufficient_claims" },
      "outcome": "stepUp",
      "note": "a claims challenge: another token of the same kind would be refused too" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "code + PKCE, POST /{tenant}/oauth2/v2.0/token form", "checked": ["D"] },
    "refresh": { "text": "same endpoint, form `client_id, scope, refresh_token, grant_type` (+secret)", "checked": ["D"] },
    "success": { "text": "200 `access_token, token_type, expires_in, scope, refresh_token, id_token`", "checked": ["D"] },
    "expiry": { "text": "`expires_in` seconds (odd values such as 3599)", "checked": ["D"] },
    "rotation": { "text": "a new value each time, the old one stays valid; 90 days, 24 h fixed for single-page apps", "checked": ["D"] },
    "dead": { "text": "400 `{error, error_description, error_codes[], timestamp, trace_id, correlation_id}`; invalid_grant, interaction_required, temporarily_unavailable (retry)", "checked": ["D"] },
    "access_expired": { "text": "401, may carry a claims challenge in WWW-Authenticate", "checked": ["K"] },
    "logout": { "text": "browser logout only; no revoke endpoint", "checked": ["K"] },
    "logout_all": { "text": "Graph revokeSignInSessions", "checked": ["K"] },
    "sessions": { "text": "sign-in logs", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://login.microsoftonline.com; the app's own API lies on another host, which the app names among its additional hosts", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["D"] },
    "codes": { "text": "70008, 700082 idle; 700084 fixed life; 50173 revoked; 50076 second factor. The vendor says that codes may change (https://learn.microsoft.com/entra/identity-platform/reference-error-codes)", "checked": ["D", "I"] },
    "more_codes": { "text": "50072, 50074, 50079, 50158, 53000 to 53003 and 65001 ask for a step; 50132, 50133 revoked; 50057 disabled; `suberror` beside invalid_grant", "checked": ["K"] },
    "grace": { "text": "the old refresh token stays valid; 24 h is the shortest life of one", "checked": ["D"] },
    "graph": { "text": "graph.microsoft.com is the API of the vendor; national clouds have others, which the app names among its additional hosts", "checked": ["K"] },
    "claims": { "text": "a claims challenge is 401 with error=\"insufficient_claims\" in WWW-Authenticate. Not expressed: the claims to ask for in turn", "checked": ["K"] },
    "scopes": { "text": "one refresh token serves many APIs. Not expressed: an access token for each of them", "checked": ["D"] }
  }
}
"""##,
        "fastapi": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "fastapi",
  "title": "FastAPI with OAuth2PasswordBearer and PyJWT",
  "variables": {
    "socket_path": {
      "about": "The path of the backend's socket, without the first slash, if it has one.",
      "default": "ws"
    }
  },
  "endpoints": {
    "login.password": {
      "path": "/token",
      "form": { "grant_type": "password", "username": "$username", "password": "$password" }
    },
    "refresh": { "path": "/auth/refresh", "json": { "refresh_token": "$refresh_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }, { "jwt": "exp" }, { "assume": 900 }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/detail", "exists": true }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "expired, void or of the wrong kind; the text is the backend's own" },
    { "on": "socket", "status": 403, "outcome": "accessExpired",
      "note": "a socket that is refused before it is accepted is answered with 403: refresh, reconnect" }
  ],
  "errors": { "message": ["/detail", "/detail/0/msg"] },
  "socket": { "path": "/${socket_path}", "token": { "query": "token" }, "renewal": "reconnect" },
  "facts": {
    "login": { "text": "POST /token FORM `username, password` (OAuth2PasswordRequestForm) or JSON; JSON to the form route is 422", "checked": ["R"] },
    "refresh": { "text": "POST /auth/refresh JSON `refresh_token` (or bearer header)", "checked": ["R"] },
    "success": { "text": "200 `{access_token, refresh_token?, token_type:'bearer'}`", "checked": ["R"] },
    "expiry": { "text": "usually none: JWT exp", "checked": ["K"] },
    "rotation": { "text": "varies", "checked": ["K"] },
    "dead": { "text": "401 `{\"detail\":\"…\"}`; a missing field is 422 `{detail:[…]}` where detail is a list", "checked": ["R"] },
    "access_expired": { "text": "401 + WWW-Authenticate: Bearer; older HTTPBearer answered 403 when the header was absent", "checked": ["R", "K"] },
    "logout": { "text": "varies", "checked": ["K"] },
    "sessions": { "text": "none", "checked": ["K"] },
    "websocket": { "text": "query token; refusing before accept gives 403 at the handshake", "checked": ["K"] },
    "shape": { "text": "OAuth2PasswordBearer(tokenUrl=\"token\") with PyJWT as in the framework's tutorial, and a refresh route POST /auth/refresh that takes a model with `refresh_token` and raises HTTPException(401, detail); the framework itself has no refresh, so paths and texts are a convention", "checked": ["R", "K"] },
    "validation": { "text": "422 says that a field is missing or of the wrong type: it ends no session", "checked": ["R"] },
    "socket_path": { "text": "a socket's path is the backend's own; a query item named token is a convention", "checked": ["K"] },
    "assumption": { "text": "15 minutes if neither the reply nor the token tells", "checked": ["K"] }
  }
}
"""##,
        "firebase": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "firebase",
  "title": "Firebase Authentication",
  "variables": {
    "api_key": { "about": "The project's web API key, from its settings; public." }
  },
  "endpoints": {
    "refresh": {
      "path": "/v1/token",
      "query": { "key": "$api_key" },
      "form": { "grant_type": "refresh_token", "refresh_token": "$refresh_token" }
    }
  },
  "reply": {
    "access": ["/id_token", "/access_token"],
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "user": { "id": "/user_id" },
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/error/message", "contains": "TOKEN_EXPIRED" },
      "outcome": "sessionEnded", "reason": "expired",
      "note": "the credential is no longer valid: password changed, or sessions revoked" },
    { "on": "refresh", "status": 400, "if": { "at": "/error/message", "contains": "USER_DISABLED" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "an administrator disabled the account" },
    { "on": "refresh", "status": 400, "if": { "at": "/error/message", "contains": "USER_NOT_FOUND" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is gone" },
    { "on": "refresh", "status": 400, "if": { "at": "/error/message", "contains": "INVALID_REFRESH_TOKEN" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "no token of this project" },
    { "on": "refresh", "status": 400, "if": { "at": "/error/message", "contains": "TOO_MANY_ATTEMPTS_TRY_LATER" },
      "outcome": "throttled",
      "note": "too many requests, said with 400" },
    { "on": "refresh", "status": 400, "if": { "at": "/error/message", "contains": "QUOTA_EXCEEDED" },
      "outcome": "throttled",
      "note": "the project's quota, said with 400" }
  ],
  "errors": { "code": ["/error/message", "/error/status"] },
  "policy": { "ahead": 300 },
  "facts": {
    "login": { "text": "POST identitytoolkit v1/accounts:signInWithPassword?key=…, JSON; reply idToken, refreshToken, expiresIn (text), localId", "checked": ["K"] },
    "refresh": { "text": "POST securetoken v1/token?key=API_KEY, form or JSON `grant_type=refresh_token`, `refresh_token`", "checked": ["S"] },
    "success": { "text": "200 snake_case `access_token, id_token, refresh_token, expires_in, token_type, user_id, project_id`, while login is camelCase", "checked": ["S"] },
    "expiry": { "text": "`expires_in` is TEXT holding seconds", "checked": ["S"] },
    "rotation": { "text": "usually the same value; replace only when different", "checked": ["S"] },
    "dead": { "text": "400 `{error:{code:400,message,status}}` with TOKEN_EXPIRED, INVALID_REFRESH_TOKEN, USER_DISABLED, USER_NOT_FOUND, MISSING_REFRESH_TOKEN", "checked": ["K"] },
    "access_expired": { "text": "decided by your own backend (id token exp, 1 h)", "checked": ["K"] },
    "logout": { "text": "client-side; revoke is an admin call (validSince)", "checked": ["K"] },
    "sessions": { "text": "none for end users", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://securetoken.googleapis.com; the app's own API lies on another host, which the app names among its additional hosts", "checked": ["S", "K"] },
    "sign_in": { "text": "the app signs in at https://identitytoolkit.googleapis.com, another host, and hands over idToken and refreshToken. Not expressed: calls to a second host", "checked": ["K"] },
    "throttling": { "text": "TOO_MANY_ATTEMPTS_TRY_LATER and QUOTA_EXCEEDED come with 400, sometimes with a text after the code", "checked": ["K"] },
    "ahead": { "text": "the vendor's SDK refreshes 5 minutes early", "checked": ["S", "K"] },
    "id_token": { "text": "backends of the app verify the ID token, so that is what requests carry", "checked": ["K"] }
  }
}
"""##,
        "flask-jwt-extended": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "flask-jwt-extended",
  "title": "Flask-JWT-Extended",
  "endpoints": {
    "login.password": { "path": "/login", "json": { "username": "$username", "password": "$password" } },
    "refresh": { "path": "/refresh", "headers": { "Authorization": "Bearer $refresh_token" } },
    "logout": { "method": "DELETE", "path": "/logout", "headers": { "Authorization": "Bearer $refresh_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "expiry": [{ "jwt": "exp" }, { "assume": 900 }]
  },
  "rotation": "never",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/msg", "contains": "missing" }, "outcome": "misconfigured",
      "note": "the header did not arrive: something on the way drops it" },
    { "on": "refresh", "status": 401, "if": { "at": "/msg", "contains": "expired" }, "outcome": "sessionEnded",
      "reason": "expired",
      "note": "its life is over" },
    { "on": "refresh", "status": 401, "if": { "at": "/msg", "contains": "revoked" }, "outcome": "sessionEnded",
      "reason": "revoked",
      "note": "on the block list" },
    { "on": "refresh", "status": 401, "if": { "at": "/msg", "contains": "error loading the user" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is gone" },
    { "on": "refresh", "status": 422, "if": { "at": "/msg", "exists": true }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "garbage, tampered with, signed with an older key, or no refresh token" },
    { "on": "logout", "status": [401, 422], "if": { "at": "/msg", "exists": true }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "over already" },
    { "on": "logout", "status": [404, 405], "outcome": "misconfigured",
      "note": "the backend has no such route: the session ends on this device alone" },
    { "on": "api", "status": 401, "if": { "at": "/msg", "contains": "fresh token required" }, "outcome": "stepUp",
      "note": "refreshed tokens are never fresh: only a sign-in helps" },
    { "on": "api", "status": 422, "if": { "at": "/msg", "contains": "signature verification failed" },
      "outcome": "accessExpired",
      "note": "signed with an older key; the refresh tells" },
    { "on": "api", "status": 422, "if": { "at": "/msg", "contains": "not enough segments" },
      "outcome": "accessExpired",
      "note": "no JWT at all; the refresh tells" }
  ],
  "errors": { "message": "/msg" },
  "facts": {
    "login": { "text": "your route; 200 `{access_token, refresh_token}`", "checked": ["R"] },
    "refresh": { "text": "POST /refresh, empty body, refresh token in `Authorization: Bearer`", "checked": ["R"] },
    "success": { "text": "200 `{access_token}` only", "checked": ["R"] },
    "expiry": { "text": "JWT exp", "checked": ["R"] },
    "rotation": { "text": "never by default", "checked": ["R"] },
    "dead": { "text": "expired 401 `{msg:'Token has expired'}`; garbage, tampered or wrong kind 422 `{msg}`; missing header 401", "checked": ["R"] },
    "access_expired": { "text": "401 `{msg:'Token has expired'}`; tampered 422", "checked": ["R"] },
    "logout": { "text": "your route with a block list", "checked": ["K"] },
    "sessions": { "text": "none", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "routes": { "text": "POST /login JSON `username, password`, POST /refresh and DELETE /logout with a block list are a convention of the library's guide, not its own routes", "checked": ["K"] },
    "more_texts": { "text": "401 'Token has been revoked', 'Error loading the user …', 'Missing Authorization Header', 'Fresh token required'; 422 'Only refresh tokens are allowed', 'Not enough segments'", "checked": ["R"] },
    "signature": { "text": "422 'Signature verification failed', on the API and at a refresh", "checked": ["R"] },
    "lifetime": { "text": "access tokens live 15 minutes by default", "checked": ["K"] }
  }
}
"""##,
        "freshet": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "freshet",
  "title": "Freshet",
  "endpoints": {
    "login.password": {
      "path": "/v1/login/password",
      "json": { "email": "$email", "password": "$password", "device": "$device", "intent": "$intent" }
    },
    "login.signup": {
      "path": "/v1/signup",
      "json": { "email": "$email", "password": "$password", "device": "$device", "intent": "$intent" }
    },
    "login.code": { "path": "/v1/login/code", "json": { "email": "$email" } },
    "login.code.verify": {
      "path": "/v1/login/code/verify",
      "json": { "attempt": "$attempt", "code": "$code", "device": "$device", "intent": "$intent" }
    },
    "refresh": { "path": "/v1/refresh", "json": { "refresh_token": "$refresh_token", "intent": "$intent" } },
    "confirm": { "path": "/v1/confirm", "json": { "refresh_token": "$refresh_token" } },
    "report": { "path": "/v1/report", "json": { "refresh_token": "$refresh_token" } },
    "logout": { "path": "/v1/logout", "json": { "refresh_token": "$refresh_token" } },
    "logoutAll": { "path": "/v1/logout-all", "attach": true },
    "sessions.list": { "method": "GET", "path": "/v1/sessions", "attach": true },
    "sessions.revoke": { "method": "DELETE", "path": "/v1/sessions/${id}", "attach": true },
    "me": { "method": "GET", "path": "/v1/me", "attach": true }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "session": "/session_id",
    "tokenType": "/token_type",
    "user": { "id": "/user/id", "email": "/user/email" },
    "attempt": "/attempt",
    "expiry": [{ "in": "/expires_in", "unit": "s" }],
    "refreshExpiry": { "sources": [{ "in": "/refresh_expires_in", "unit": "s" }], "extends": true }
  },
  "rotation": "confirmed",
  "classify": [
    { "on": ["refresh", "report", "confirm", "logout"], "status": 400,
      "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded", "reasonAt": "/reason",
      "note": "the only final answer; the reason is one of PROTOCOL.md" },
    { "on": ["refresh", "report"], "status": 409, "if": { "at": "/error", "equals": "superseded" },
      "outcome": "superseded",
      "note": "a newer generation was proved: re-read the store, report if nothing newer is there" },
    { "on": "login", "status": 404, "if": { "at": "/error", "equals": "not_found" }, "outcome": "misconfigured" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "policy": { "ahead": 60 },
  "facts": {
    "login": { "text": "POST /v1/login/password and /v1/signup JSON `email, password, device, intent`; POST /v1/login/code `email` answers 202 `attempt, expires_in`; POST /v1/login/code/verify `attempt, code, device, intent`", "checked": ["S"] },
    "refresh": { "text": "POST /v1/refresh JSON `refresh_token, intent`; every retry of a generation sends the same pair", "checked": ["S"] },
    "success": { "text": "200 `access_token, token_type, expires_in, refresh_token, refresh_expires_in, session_id, user{id,email}, server_time`. Not expressed: `server_time`, the server's clock at its answer; only the `Date` header has a place", "checked": ["S"] },
    "expiry": { "text": "`expires_in` seconds counted by the server at its answer; `refresh_expires_in` seconds until the session ends unless it is refreshed before", "checked": ["S"] },
    "rotation": { "text": "confirmed and bound to an intent (PROTOCOL.md): a repeat with the same intent gets the same successor without time limit", "checked": ["S"] },
    "dead": { "text": "400 `{error:invalid_grant, reason}`; 409 `{error:superseded}` is no end", "checked": ["S"] },
    "access_expired": { "text": "401 `{error:invalid_token}` + WWW-Authenticate: Bearer", "checked": ["S"] },
    "logout": { "text": "POST /v1/logout JSON `refresh_token`, 204", "checked": ["S"] },
    "logout_all": { "text": "POST /v1/logout-all, bearer access token, 204", "checked": ["S"] },
    "sessions": { "text": "GET /v1/sessions, DELETE /v1/sessions/{id}, bearer access token. Not expressed: where in the list id, device and times stand; the format has no selectors for it", "checked": ["S"] },
    "websocket": { "text": "none: the server has no socket", "checked": ["S"] }
  }
}
"""##,
        "fusionauth": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "fusionauth",
  "title": "FusionAuth",
  "variables": {
    "application_id": { "about": "The id of the application; public." },
    "tenant_id": { "about": "The tenant's id, if there are several.", "default": "" }
  },
  "endpoints": {
    "login.password": {
      "path": "/api/login",
      "headers": { "X-FusionAuth-TenantId": "$tenant_id" },
      "json": { "loginId": "$email", "password": "$password", "applicationId": "$application_id" }
    },
    "refresh": {
      "path": "/api/jwt/refresh",
      "headers": { "X-FusionAuth-TenantId": "$tenant_id" },
      "json": { "refreshToken": "$refresh_token", "token": "$access_token" }
    },
    "logout": {
      "path": "/api/logout",
      "headers": { "X-FusionAuth-TenantId": "$tenant_id" },
      "json": { "global": false, "refreshToken": "$refresh_token" }
    },
    "logoutAll": {
      "path": "/api/logout",
      "headers": { "X-FusionAuth-TenantId": "$tenant_id" },
      "json": { "global": true, "refreshToken": "$refresh_token" }
    }
  },
  "reply": {
    "access": "/token",
    "refresh": "/refreshToken",
    "user": { "id": "/user/id", "email": "/user/email" },
    "expiry": [{ "at": "/tokenExpirationInstant", "unit": "ms" }, { "jwt": "exp" }, { "assume": 3600 }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/fieldErrors/refreshToken", "exists": true },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "expired, not found, or revoked" },
    { "on": "login", "status": [203, 212, 213, 242], "outcome": "refused",
      "note": "a new password, a confirmation or a second factor is asked for" },
    { "on": "login", "status": [404, 409, 410, 423], "outcome": "refused",
      "note": "wrong credentials or a locked account, said without a body" }
  ],
  "errors": { "message": ["/generalErrors/0/message", "/fieldErrors/refreshToken/0/message"] },
  "facts": {
    "login": { "text": "POST /api/login JSON `loginId, password, applicationId`; 200 `token, refreshToken, tokenExpirationInstant, user{…}`; the application must allow it without an API key", "checked": ["K"] },
    "login_steps": { "text": "203 asks for a new password, 212 and 213 for a confirmation, 242 for a second factor; 404 with an empty body is a wrong password. Not expressed: the further steps", "checked": ["K"] },
    "refresh": { "text": "POST /api/jwt/refresh JSON `refreshToken`, and `token` with the access token for webhooks; no API key (https://fusionauth.io/docs/apis/jwt)", "checked": ["D"] },
    "success": { "text": "200 `refreshToken, refreshTokenId, token` (https://fusionauth.io/docs/apis/jwt)", "checked": ["D"] },
    "expiry": { "text": "JWT exp; sign-ins name `tokenExpirationInstant` in epoch milliseconds, refreshes do not", "checked": ["D", "K"] },
    "rotation": { "text": "by setting: Reusable returns the same refresh token, OneTimeUse a new one and voids the old one (https://fusionauth.io/docs/apis/jwt)", "checked": ["D"] },
    "dead": { "text": "400 with an errors object if the refresh token is expired, was not found or has been revoked; that it stands at `fieldErrors.refreshToken` was not verified (https://fusionauth.io/docs/apis/jwt)", "checked": ["D", "K"] },
    "access_expired": { "text": "your API decides (401)", "checked": ["K"] },
    "logout": { "text": "POST /api/logout JSON `refreshToken, global`", "checked": ["K"] },
    "sessions": { "text": "refresh tokens of a user, by API key", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] }
  }
}
"""##,
        "github-app": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "github-app",
  "title": "GitHub App user tokens",
  "variables": {
    "client_id": { "about": "The GitHub App's client id." }
  },
  "secrets": {
    "client_secret": {
      "about": "Needed unless the tokens came by the device flow; an app that ships to users holds none."
    }
  },
  "endpoints": {
    "refresh": {
      "path": "/login/oauth/access_token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "refresh_token": "$refresh_token"
      }
    }
  },
  "reply": {
    "encoding": "auto",
    "success": { "at": "/error", "exists": false },
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }, { "assume": 315360000 }],
    "refreshExpiry": { "sources": [{ "in": "/refresh_token_expires_in", "unit": "s" }], "extends": true }
  },
  "rotation": "always",
  "attach": { "hosts": ["https://api.github.com"] },
  "classify": [
    { "on": "refresh", "status": 200, "if": { "at": "/error", "equals": "bad_refresh_token" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "success and failure share the status; used once already, expired, or revoked" },
    { "on": "refresh", "status": 200, "if": { "at": "/error", "exists": true }, "outcome": "misconfigured",
      "note": "any other error is about the app: its id, its secret, its setup" },
    { "on": "api", "status": [403, 429], "if": { "at": "header:x-ratelimit-remaining", "equals": "0" },
      "outcome": "throttled",
      "note": "a rate limit may be said with 403" },
    { "on": "api", "status": 403, "if": { "at": "header:retry-after", "exists": true }, "outcome": "throttled",
      "note": "a secondary rate limit, said with 403" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "code or device flow at /login/oauth/access_token", "checked": ["D"] },
    "refresh": { "text": "POST /login/oauth/access_token `client_id, client_secret?, grant_type, refresh_token` (query or form); needs Accept: application/json", "checked": ["D", "I"] },
    "success": { "text": "200 `access_token (ghu_), expires_in 28800, refresh_token (ghr_), refresh_token_expires_in 15897600, scope '', token_type bearer`; FORM-ENCODED unless JSON is asked for", "checked": ["D", "I"] },
    "expiry": { "text": "`expires_in`, `refresh_token_expires_in` seconds; absent when expiry is off", "checked": ["D"] },
    "rotation": { "text": "always; old access and refresh tokens stop working", "checked": ["D"] },
    "dead": { "text": "HTTP 200 with `{error:'bad_refresh_token', error_description, error_uri}`", "checked": ["I"] },
    "access_expired": { "text": "401 `{message:'Bad credentials'}`", "checked": ["I"] },
    "logout": { "text": "DELETE /applications/{client_id}/token (Basic)", "checked": ["D"] },
    "sessions": { "text": "account settings", "checked": ["D"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://github.com, and APIs at https://api.github.com", "checked": ["D"] },
    "sign_in": { "text": "the device flow, or a browser with a server of yours that holds the secret; the app hands over the tokens that it got", "checked": ["D"] },
    "no_expiry": { "text": "without expiry fields the token does not expire: ten years are assumed, and the first 401 tells", "checked": ["D"] },
    "grace": { "text": "none: a lost answer to a refresh ends the session", "checked": ["D"] },
    "encoding": { "text": "the reply is form-encoded unless JSON is asked for, which is always done; both are read", "checked": ["D", "I"] },
    "rate_limits": { "text": "403 or 429 with x-ratelimit-remaining: 0, or with Retry-After", "checked": ["K"] },
    "errors": { "text": "other errors with 200: incorrect_client_credentials, unsupported_grant_type", "checked": ["K"] }
  }
}
"""##,
        "google": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "google",
  "title": "Google",
  "variables": {
    "client_id": { "about": "The client id of an iOS, Android or desktop app." }
  },
  "secrets": {
    "client_secret": { "about": "Desktop clients have one; the vendor does not treat it as a secret there." }
  },
  "endpoints": {
    "refresh": {
      "path": "/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": { "path": "/revoke", "form": { "token": "$refresh_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }],
    "refreshExpiry": { "sources": [{ "in": "/refresh_token_expires_in", "unit": "s" }], "extends": false }
  },
  "rotation": "never",
  "attach": { "hosts": ["https://www.googleapis.com", "https://openidconnect.googleapis.com"] },
  "classify": [
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" }, { "at": "/error_subtype", "equals": "invalid_rapt" }],
      "outcome": "stepUp",
      "note": "the organization asks for a new sign-in now and then" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" }, { "at": "/error_description", "contains": "deleted" }],
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is gone" },
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "expired or revoked, pushed out by newer tokens, or a password was changed" },
    { "on": "logout", "status": 400, "if": { "at": "/error", "equals": "invalid_token" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "expired or revoked already" },
    { "on": ["refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "code + PKCE at oauth2.googleapis.com/token, access_type=offline", "checked": ["K"] },
    "refresh": { "text": "POST /token form `client_id, client_secret (not for iOS clients), refresh_token, grant_type`", "checked": ["I"] },
    "success": { "text": "200 `access_token, expires_in, scope, token_type, id_token`; no refresh_token; refresh_token_expires_in for time-limited grants", "checked": ["K"] },
    "expiry": { "text": "`expires_in` seconds", "checked": ["K"] },
    "rotation": { "text": "never: absent means keep", "checked": ["K"] },
    "dead": { "text": "400 `{error:invalid_grant, error_description:'Token has been expired or revoked.'}`; error_subtype invalid_rapt when re-authentication is demanded", "checked": ["I"] },
    "access_expired": { "text": "401 UNAUTHENTICATED", "checked": ["K"] },
    "logout": { "text": "POST /revoke", "checked": ["K"] },
    "sessions": { "text": "user's account pages", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://oauth2.googleapis.com; APIs on other hosts than the two here are named by the app among its additional hosts", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["K"] },
    "refresh_end": { "text": "`refresh_token_expires_in` comes with grants that are limited in time; refreshing does not move that end", "checked": ["K"] },
    "deleted": { "text": "400 invalid_grant 'Account has been deleted'", "checked": ["K"] },
    "revoked_already": { "text": "POST /revoke answers 400 `{error:invalid_token}` for a token that is over", "checked": ["K"] }
  }
}
"""##,
        "keycloak": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "keycloak",
  "title": "Keycloak",
  "variables": {
    "realm": { "about": "The realm's name." },
    "client_id": { "about": "The app's client id, as registered; public." },
    "scope": { "about": "The scopes of a sign-in; offline_access brings an offline session.", "default": "openid" }
  },
  "endpoints": {
    "login.password": {
      "path": "/realms/${realm}/protocol/openid-connect/token",
      "form": {
        "grant_type": "password",
        "client_id": "$client_id",
        "username": "$username",
        "password": "$password",
        "scope": "$scope"
      }
    },
    "refresh": {
      "path": "/realms/${realm}/protocol/openid-connect/token",
      "form": { "grant_type": "refresh_token", "client_id": "$client_id", "refresh_token": "$refresh_token" }
    },
    "logout": {
      "path": "/realms/${realm}/protocol/openid-connect/logout",
      "form": { "client_id": "$client_id", "refresh_token": "$refresh_token" }
    },
    "me": { "method": "GET", "path": "/realms/${realm}/protocol/openid-connect/userinfo", "attach": true }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "session": "/session_state",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "invalid token issuer" }],
      "outcome": "misconfigured",
      "note": "tokens were issued under another host name; the session is sound" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "authorized client don't match" }],
      "outcome": "misconfigured",
      "note": "the token was issued to another client" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "reuse exceeded" }],
      "outcome": "sessionEnded", "reason": "reused",
      "note": "used too often where the realm revokes refresh tokens; newer tokens of the session are void too" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" }, { "at": "/error_description", "contains": "not active" }],
      "outcome": "sessionEnded", "reason": "expired",
      "note": "'Session not active' or 'Token is not active'" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" }, { "at": "/error_description", "contains": "disabled" }],
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is disabled" },
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "stale, malformed, or the session no longer has this client" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_scope" }, { "at": "/error_description", "contains": "consent" }],
      "outcome": "stepUp",
      "note": "the user took back a consent" },
    { "on": "logout", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "the session was over already" },
    { "on": ["login", "refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "POST /realms/{r}/protocol/openid-connect/token form (code + PKCE, password, device)", "checked": ["K"] },
    "refresh": { "text": "same endpoint, form `grant_type=refresh_token, refresh_token, client_id` (+secret)", "checked": ["S"] },
    "success": { "text": "200 `access_token, expires_in, refresh_expires_in, refresh_token, token_type, id_token, not-before-policy, session_state, scope`", "checked": ["I"] },
    "expiry": { "text": "`expires_in` and `refresh_expires_in` seconds (0 seen with offline_access: no end)", "checked": ["I"] },
    "rotation": { "text": "a new value each time; old ones still work unless 'revoke refresh token' is on with a maximum reuse count; exceeding it also invalidates the session's newer token", "checked": ["S", "I"] },
    "dead": { "text": "400 invalid_grant: 'Maximum allowed refresh token reuse exceeded', 'Session not active', 'Token is not active', 'Session doesn't have required client'; missing token 400 invalid_request; bound-certificate mismatch 401", "checked": ["S", "I"] },
    "access_expired": { "text": "401 + WWW-Authenticate", "checked": ["K"] },
    "logout": { "text": "POST …/logout form with client_id + refresh_token, 204", "checked": ["K"] },
    "logout_all": { "text": "account API DELETE sessions, or admin logout", "checked": ["K"] },
    "sessions": { "text": "account API lists devices with sessions", "checked": ["I"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "the server's root; before version 17 it ended in /auth", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got. The password grant is for first-party apps and must be allowed for the client", "checked": ["K"] },
    "issuer": { "text": "400 invalid_grant 'Invalid token issuer. Expected …' answers a sound refresh token if the server is reached under another host name than at the sign-in", "checked": ["I"] },
    "other_client": { "text": "400 invalid_grant 'Invalid refresh token. Token client and authorized client don't match'", "checked": ["S"] },
    "refresh_end": { "text": "Not expressed: `refresh_expires_in`, because 0 stands for no end there", "checked": ["I"] },
    "grace": { "text": "how often a refresh token may be reused is a setting of the realm, so no grace is assumed", "checked": ["S"] },
    "consent": { "text": "400 invalid_scope 'Client no longer has requested consent from user'", "checked": ["K"] },
    "disabled": { "text": "400 invalid_grant 'User disabled'", "checked": ["K"] }
  }
}
"""##,
        "laravel-passport": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "laravel-passport",
  "title": "Laravel Passport",
  "variables": {
    "client_id": { "about": "The app's client id, as registered; public." },
    "scope": { "about": "The scopes to ask for; without them those that were granted.", "default": "" }
  },
  "secrets": { "client_secret": { "about": "Only for a confidential client; a secret in an app is none." } },
  "endpoints": {
    "login.password": {
      "path": "/oauth/token",
      "form": {
        "grant_type": "password",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "username": "$username",
        "password": "$password",
        "scope": "$scope"
      }
    },
    "refresh": {
      "path": "/oauth/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "scope": "$scope",
        "refresh_token": "$refresh_token"
      }
    }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": [400, 401], "if": { "at": "/hint", "contains": "not linked to client" },
      "outcome": "misconfigured",
      "note": "the token was issued to another client" },
    { "on": "refresh", "status": [400, 401], "if": { "at": "/hint", "contains": "has been revoked" },
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "used once already, or revoked" },
    { "on": "refresh", "status": [400, 401], "if": { "at": "/hint", "contains": "has expired" },
      "outcome": "sessionEnded", "reason": "expired",
      "note": "its life is over" },
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "server library 9" },
    { "on": "refresh", "status": 401,
      "if": [{ "at": "/error", "equals": "invalid_request" },
             { "at": "/message", "contains": "refresh token is invalid" }],
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "server library 8, which changed status and code with the next version" },
    { "on": "refresh", "status": 401,
      "if": [{ "at": "/error", "equals": "invalid_request" },
             { "at": "/error_description", "contains": "refresh token is invalid" }],
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "the same in another field" },
    { "on": ["login", "refresh"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": ["/error_description", "/message", "/hint"] },
  "facts": {
    "login": { "text": "POST /oauth/token (password or code) form or JSON", "checked": ["K"] },
    "refresh": { "text": "POST /oauth/token `grant_type, refresh_token, client_id, client_secret?, scope`", "checked": ["K"] },
    "success": { "text": "200 `token_type, expires_in, access_token, refresh_token`", "checked": ["K"] },
    "expiry": { "text": "`expires_in` seconds (31536000 by default: one year)", "checked": ["K"] },
    "rotation": { "text": "always; old access and refresh tokens are revoked", "checked": ["K"] },
    "dead": { "text": "server library 8.x: 401 `{error:invalid_request, message, hint:'Token has been revoked'}`; 9.x: 400 invalid_grant", "checked": ["S"] },
    "access_expired": { "text": "401 `{message:'Unauthenticated.'}`; 419 belongs to CSRF/session pages, not tokens", "checked": ["K"] },
    "logout": { "text": "your route revoking the token; cookies mode via session", "checked": ["K"] },
    "sessions": { "text": "DELETE /oauth/tokens/{id} lists and revokes personal grants", "checked": ["K"] },
    "websocket": { "text": "broadcast auth endpoint with bearer", "checked": ["K"] },
    "sign_in": { "text": "the password grant is for first-party apps and must be switched on; otherwise a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["K"] },
    "hints": { "text": "server library 8: 401 invalid_request 'The refresh token is invalid.'; 9: 400 invalid_grant with the same text", "checked": ["S"] },
    "more_hints": { "text": "hints 'Token has been revoked', 'Token has expired', 'Token is not linked to client', 'Cannot decrypt the refresh token'", "checked": ["S", "K"] },
    "accept": { "text": "Accept: application/json is always sent; without it errors are redirects to a page", "checked": ["K"] }
  }
}
"""##,
        "melchat": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "melchat",
  "title": "MelChat",
  "endpoints": {
    "login.code": { "path": "/api/auth/login", "json": { "email": "$email" } },
    "login.code.verify": { "path": "/api/auth/verify", "json": { "email": "$email", "code": "$code" } },
    "refresh": { "path": "/api/auth/refresh", "json": { "refreshToken": "$refresh_token" } },
    "logout": { "path": "/api/auth/logout", "json": { "refreshToken": "$refresh_token" } },
    "logoutAll": { "path": "/api/auth/logout-all", "attach": true }
  },
  "reply": {
    "success": { "at": "/success", "equals": true },
    "access": ["/accessToken", "/token"],
    "refresh": "/refreshToken",
    "user": { "id": "/user/id" },
    "expiry": [{ "in": "/expiresIn", "unit": "s" }, { "assume": 2592000 }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 401, "outcome": "sessionEnded", "reason": "unknown",
      "note": "the status is not given: ours, and the usual one" },
    { "on": "refresh", "status": "2xx", "if": { "at": "/success", "equals": false }, "outcome": "transient",
      "note": "success: false with 200 is a failure, but no proof that the session is over" },
    { "on": "login", "status": "2xx", "if": { "at": "/success", "equals": false }, "outcome": "refused",
      "note": "success: false with 200: the code or the address is refused" },
    { "on": "api", "status": 401, "outcome": "accessExpired",
      "note": "the access token is no longer taken: refresh, replay once" }
  ],
  "errors": { "code": "/error", "message": "/message" },
  "policy": { "ahead": 300 },
  "storage": {
    "synchronizable": false,
    "imports": [
      {
        "access": "com.melchat.accessToken",
        "refresh": "com.melchat.refreshToken",
        "expiresAt": { "item": "com.melchat.tokenExpiresAt", "unit": "iso8601" },
        "synchronizable": true
      },
      { "access": "authToken", "synchronizable": true },
      { "access": "authToken" }
    ]
  },
  "server": {
    "rotation": "static",
    "lifetimes": { "access": 2592000, "idle": 2592000, "absolute": 15552000 },
    "replies": {
      "login": {
        "status": 200,
        "json": {
          "success": true,
          "accessToken": "$access_token",
          "refreshToken": "$refresh_token",
          "expiresIn": "$expires_in",
          "user": { "id": "$user_id", "username": "$email", "isNewUser": false }
        }
      },
      "refresh": {
        "status": 200,
        "json": { "success": true, "accessToken": "$access_token", "expiresIn": "$expires_in" }
      },
      "login.code": { "status": 200, "json": { "success": true, "message": "$message" } },
      "logout": { "status": 200, "json": { "success": true, "message": "Logged out successfully" } },
      "logoutAll": { "status": 200, "json": { "success": true, "message": "Logged out successfully" } }
    },
    "resources": [
      {
        "method": "GET",
        "path": "/api/me",
        "reply": { "status": 200, "json": { "success": true, "user": { "id": "$user_id", "username": "$email" } } }
      },
      {
        "method": "GET",
        "path": "/api/messages",
        "reply": { "status": 200, "json": { "success": true, "messages": [] } }
      }
    ],
    "errors": {
      "accessExpired": {
        "status": 401,
        "json": { "success": false, "error": "unauthorized", "message": "$message" },
        "headers": { "WWW-Authenticate": "Bearer error=\"invalid_token\"" }
      },
      "sessionEnded": { "status": 401, "json": { "success": false, "error": "session_ended", "message": "$message" } },
      "superseded": { "status": 409, "json": { "success": false, "error": "superseded", "message": "$message" } },
      "refused": { "status": 401, "json": { "success": false, "error": "invalid_credentials", "message": "$message" } },
      "invalidRequest": {
        "status": 400,
        "json": { "success": false, "error": "invalid_request", "message": "$message" }
      },
      "forbidden": { "status": 403, "json": { "success": false, "error": "forbidden", "message": "$message" } },
      "notFound": { "status": 404, "json": { "success": false, "error": "not_found", "message": "$message" } },
      "throttled": { "status": 429, "json": { "success": false, "error": "too_many_requests", "message": "$message" } }
    }
  },
  "facts": {
    "login": { "text": "e-mail plus code, POST /api/auth/verify; 200 `{success, accessToken, refreshToken, expiresIn, user{id,username,isNewUser}}`; an older backend returns only `token`. Not expressed: `username` and `isNewUser`", "checked": ["S"] },
    "refresh": { "text": "POST /api/auth/refresh, JSON `refreshToken`", "checked": ["S"] },
    "success": { "text": "200 flat camelCase `{success, accessToken, expiresIn}`; no refresh token in the reply", "checked": ["S"] },
    "expiry": { "text": "`expiresIn` seconds (2592000 = 30 days). Not expressed: the end of the refresh token (30 days), since it is not known whether refreshing moves it", "checked": ["S"] },
    "rotation": { "text": "contradictory: the text says one-time use, the reply carries no new token. Treat as: keep the old one, expect it may die", "checked": ["S"] },
    "dead": { "text": "not given; falls back to login", "checked": ["S"] },
    "access_expired": { "text": "401", "checked": ["S"] },
    "logout": { "text": "POST /api/auth/logout, JSON `refreshToken`, 200 `{success,message}`", "checked": ["S"] },
    "logout_all": { "text": "POST /api/auth/logout-all (body not shown; presumably the access token)", "checked": ["S"] },
    "sessions": { "text": "wanted as a later feature (active sessions list)", "checked": ["S"] },
    "websocket": { "text": "polling app, none", "checked": ["S"] },
    "storage": { "text": "three Keychain items, iCloud-synchronised: com.melchat.accessToken, .refreshToken, .tokenExpiresAt (ISO 8601); older key authToken", "checked": ["S"] },
    "login_path": { "text": "the path that asks for a code is not given; POST /api/auth/login JSON `email` is ours, as are the example resources GET /api/me and GET /api/messages", "checked": ["K"] },
    "lifetimes": { "text": "30 days each; our server counts the refresh token's from its last use, and ends a session after 180 days", "checked": ["S", "K"] },
    "new_user": { "text": "Not expressed: on our server `isNewUser` is always false and `username` is the address, because answers have no such values", "checked": ["K"] },
    "bodies": { "text": "error bodies are not given; the server's `{success: false, error, message}` with 401 for a dead refresh token is ours", "checked": ["K"] }
  }
}
"""##,
        "nakama": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "nakama",
  "title": "Nakama",
  "variables": {
    "server_key": { "about": "The server's key for clients (socket.server_key); every client holds it." }
  },
  "endpoints": {
    "login.password": {
      "path": "/v2/account/authenticate/email",
      "query": { "create": "false" },
      "basic": ["$server_key", ""],
      "json": { "email": "$email", "password": "$password" }
    },
    "login.signup": {
      "path": "/v2/account/authenticate/email",
      "query": { "create": "true" },
      "basic": ["$server_key", ""],
      "json": { "email": "$email", "password": "$password" }
    },
    "login.device": {
      "path": "/v2/account/authenticate/device",
      "query": { "create": "true" },
      "basic": ["$server_key", ""],
      "json": { "id": "$id" }
    },
    "login.apple": {
      "path": "/v2/account/authenticate/apple",
      "query": { "create": "true" },
      "basic": ["$server_key", ""],
      "json": { "token": "$identity_token" }
    },
    "refresh": {
      "path": "/v2/account/session/refresh",
      "basic": ["$server_key", ""],
      "json": { "token": "$refresh_token" }
    },
    "logout": {
      "path": "/v2/session/logout",
      "attach": true,
      "json": { "token": "$access_token", "refreshToken": "$refresh_token" }
    },
    "logoutAll": { "path": "/v2/session/logout", "attach": true, "json": {} },
    "me": { "method": "GET", "path": "/v2/account", "attach": true }
  },
  "reply": {
    "access": "/token",
    "refresh": ["/refresh_token", "/refreshToken"],
    "expiry": [{ "jwt": "exp" }, { "assume": 60 }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 401,
      "if": [{ "at": "/code", "equals": 16 }, { "at": "/message", "contains": "refresh token invalid or expired" }],
      "outcome": "sessionEnded", "reason": "expired",
      "note": "expired, or signed out; a wrong server key is 401 with code 16 too, with another text" },
    { "on": "refresh", "status": 403,
      "if": [{ "at": "/code", "equals": 7 }, { "at": "/message", "contains": "banned" }], "outcome": "sessionEnded",
      "reason": "disabled",
      "note": "the account is banned" },
    { "on": "refresh", "status": 404,
      "if": [{ "at": "/code", "equals": 5 }, { "at": "/message", "contains": "account not found" }],
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is gone; an unknown path is 404 with code 5 too" },
    { "on": "login", "status": 401, "if": { "at": "/message", "contains": "server key" }, "outcome": "misconfigured",
      "note": "the server key is wrong, not the password" },
    { "on": "socket", "status": 401, "outcome": "accessExpired",
      "note": "the handshake is refused: refresh, reconnect" }
  ],
  "errors": { "code": "/code", "message": "/message" },
  "socket": { "path": "/ws", "token": { "query": "token" }, "renewal": "reconnect" },
  "facts": {
    "login": { "text": "POST /v2/account/authenticate/email|device?create=true JSON; HTTP Basic with the server key as user name; 200 `{created, token, refresh_token}`", "checked": ["S"] },
    "refresh": { "text": "POST /v2/account/session/refresh JSON `token` (= the refresh token) + vars; HTTP Basic server key", "checked": ["S"] },
    "success": { "text": "200 `{token, refresh_token}` (the interface file says refreshToken; the server is set to keep proto names)", "checked": ["S"] },
    "expiry": { "text": "JWT exp for both", "checked": ["S"] },
    "rotation": { "text": "new strings with the SAME token id: old ones stay valid until their exp", "checked": ["S"] },
    "dead": { "text": "401 `{error, code:16, message:'Refresh token invalid or expired.'}`; 403 code 7 banned; 404 code 5 no user", "checked": ["S"] },
    "access_expired": { "text": "401 code 16", "checked": ["S"] },
    "logout": { "text": "POST /v2/session/logout JSON `token, refreshToken`, bearer; empty body logs out everywhere", "checked": ["S"] },
    "sessions": { "text": "none for users", "checked": ["S"] },
    "websocket": { "text": "/ws?token=…&status=… or Authorization: Bearer; 401 at the handshake; socket lives on after token expiry", "checked": ["S"] },
    "server_key": { "text": "a wrong server key answers 401 `{code:16, message:'Server key invalid'}`", "checked": ["S"] },
    "texts": { "text": "'Refresh token invalid or expired.', 'User account banned.', 'User account not found.'", "checked": ["S"] },
    "lifetime": { "text": "access tokens live 60 s and refresh tokens 3600 s by default", "checked": ["K"] },
    "grace": { "text": "Not expressed: an old refresh token is good until its own end, so no number of seconds stands for the grace", "checked": ["S"] },
    "older_versions": { "text": "older versions answer a refresh with the same refresh token", "checked": ["S"] },
    "signup": { "text": "the same call with create=true makes the account", "checked": ["S"] }
  }
}
"""##,
        "nestjs-boilerplate": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "nestjs-boilerplate",
  "title": "NestJS boilerplate (brocoders)",
  "endpoints": {
    "login.password": { "path": "/api/v1/auth/email/login", "json": { "email": "$email", "password": "$password" } },
    "login.apple": { "path": "/api/v1/auth/apple/login", "json": { "idToken": "$identity_token" } },
    "refresh": { "path": "/api/v1/auth/refresh", "headers": { "Authorization": "Bearer $refresh_token" } },
    "logout": { "path": "/api/v1/auth/logout", "attach": true },
    "me": { "method": "GET", "path": "/api/v1/auth/me", "attach": true }
  },
  "reply": {
    "access": "/token",
    "refresh": "/refreshToken",
    "user": { "id": "/user/id", "email": "/user/email" },
    "expiry": [{ "at": "/tokenExpires", "unit": "ms" }, { "jwt": "exp" }, { "assume": 900 }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/statusCode", "equals": 401 }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "expired, used once already, or signed out" },
    { "on": "logout", "status": 401, "outcome": "accessExpired",
      "note": "the access token is over, so the server cannot be told" }
  ],
  "errors": { "code": ["/errors/email", "/errors/password"], "message": "/message" },
  "facts": {
    "login": { "text": "POST /api/v1/auth/email/login JSON; 200 `{token, refreshToken, tokenExpires, user}`", "checked": ["S"] },
    "refresh": { "text": "POST /api/v1/auth/refresh, no body, refresh token in `Authorization: Bearer`", "checked": ["S"] },
    "success": { "text": "200 `{token, refreshToken, tokenExpires}`", "checked": ["S"] },
    "expiry": { "text": "`tokenExpires` is absolute epoch MILLISECONDS", "checked": ["S"] },
    "rotation": { "text": "always (session hash replaced)", "checked": ["S"] },
    "dead": { "text": "401 `{message:'Unauthorized', statusCode:401}`; other boilerplates 403 'Access Denied'", "checked": ["K"] },
    "access_expired": { "text": "401", "checked": ["K"] },
    "logout": { "text": "POST /api/v1/auth/logout, bearer access, 204", "checked": ["S"] },
    "sessions": { "text": "none in the boilerplate", "checked": ["S"] },
    "websocket": { "text": "gateway handshake auth or header", "checked": ["K"] },
    "refused": { "text": "a wrong password is 422 `{status, errors:{password:'incorrectPassword'}}`, an unknown address `errors.email:'notFound'`", "checked": ["K"] },
    "apple": { "text": "POST /api/v1/auth/apple/login JSON `idToken`", "checked": ["K"] },
    "forbidden": { "text": "projects of other origin answer a dead refresh token with 403 'Access Denied': they need a rule of their own", "checked": ["K"] }
  }
}
"""##,
        "oauth2": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "oauth2",
  "title": "OAuth 2.0 (RFC 6749)",
  "variables": {
    "client_id": { "about": "The app's client id, as registered; public." },
    "scope": { "about": "The scopes to ask for; without them those that were granted.", "default": "" },
    "token_path": { "about": "The token endpoint's path, without the first slash.", "default": "oauth/token" },
    "revoke_path": {
      "about": "The revocation endpoint's path (RFC 7009), without the first slash.",
      "default": "oauth/revoke"
    }
  },
  "endpoints": {
    "refresh": {
      "path": "/${token_path}",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "scope": "$scope",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": {
      "path": "/${revoke_path}",
      "form": { "token": "$refresh_token", "token_type_hint": "refresh_token", "client_id": "$client_id" }
    }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "invalid, expired, revoked, or issued to another client (RFC 6749 section 5.2)" },
    { "on": "refresh", "status": 409, "if": { "at": "/error", "equals": "superseded" }, "outcome": "superseded",
      "note": "only Freshet's own server says this, of a late duplicate; the session goes on" },
    { "on": ["login", "refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a logout" },
    { "on": "refresh", "status": 400,
      "if": { "at": "/error", "oneOf": ["invalid_request", "unsupported_grant_type", "invalid_scope"] },
      "outcome": "misconfigured",
      "note": "the request, not the session, is wrong" },
    { "on": "api", "status": 401,
      "if": { "at": "header:WWW-Authenticate", "contains": "insufficient_user_authentication" }, "outcome": "stepUp",
      "note": "RFC 9470, as built in; stands here because the next rule would hide it" },
    { "on": "api", "status": 401, "outcome": "accessExpired", "note": "invalid_token (RFC 6750 section 3.1)" },
    { "on": "api", "status": 403, "outcome": "forbidden",
      "note": "insufficient_scope (RFC 6750 section 3.1): a refresh does not help" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "server": {
    "rotation": "plain",
    "lifetimes": { "access": 600, "idle": 2592000, "absolute": 15552000 },
    "replies": {
      "refresh": {
        "status": 200,
        "json": {
          "access_token": "$access_token",
          "token_type": "Bearer",
          "expires_in": "$expires_in",
          "refresh_token": "$refresh_token"
        },
        "headers": { "Cache-Control": "no-store", "Pragma": "no-cache" }
      },
      "logout": { "status": 200 }
    },
    "errors": {
      "accessExpired": {
        "status": 401,
        "json": { "error": "invalid_token", "error_description": "$message" },
        "headers": { "WWW-Authenticate": "Bearer error=\"invalid_token\"" }
      },
      "sessionEnded": {
        "status": 400,
        "json": { "error": "invalid_grant", "error_description": "$message" },
        "headers": { "Cache-Control": "no-store", "Pragma": "no-cache" }
      },
      "superseded": {
        "status": 409,
        "json": { "error": "superseded", "error_description": "$message" },
        "headers": { "Cache-Control": "no-store", "Pragma": "no-cache" }
      },
      "refused": {
        "status": 400,
        "json": { "error": "invalid_grant", "error_description": "$message" },
        "headers": { "Cache-Control": "no-store", "Pragma": "no-cache" }
      },
      "invalidRequest": {
        "status": 400,
        "json": { "error": "invalid_request", "error_description": "$message" },
        "headers": { "Cache-Control": "no-store", "Pragma": "no-cache" }
      },
      "forbidden": {
        "status": 403,
        "json": { "error": "insufficient_scope", "error_description": "$message" },
        "headers": { "WWW-Authenticate": "Bearer error=\"insufficient_scope\"" }
      },
      "notFound": { "status": 404, "json": { "error": "not_found", "error_description": "$message" } },
      "throttled": { "status": 429, "json": { "error": "temporarily_unavailable", "error_description": "$message" } }
    }
  },
  "facts": {
    "login": { "text": "authorization code + PKCE, in a browser: the app hands over the tokens that it got", "checked": ["K"] },
    "refresh": { "text": "POST token endpoint form `grant_type=refresh_token, refresh_token, client_id`, optional `scope`", "checked": ["K"] },
    "success": { "text": "200 `access_token, token_type, expires_in, refresh_token?, scope?`, Cache-Control: no-store", "checked": ["K"] },
    "expiry": { "text": "`expires_in` seconds, recommended, not required", "checked": ["K"] },
    "rotation": { "text": "the server may send a new refresh token; then the old one is discarded", "checked": ["K"] },
    "dead": { "text": "400 `{error:invalid_grant, error_description?}`; 401 only for a client that could not be authenticated", "checked": ["K"] },
    "access_expired": { "text": "401 + WWW-Authenticate: Bearer error=\"invalid_token\"; 403 insufficient_scope (RFC 6750)", "checked": ["K"] },
    "logout": { "text": "RFC 7009: POST revocation endpoint form `token, token_type_hint`; 200 also for an unknown token", "checked": ["K"] },
    "superseded": { "text": "409 `{error:superseded}` is ours and no code of RFC 6749: a library must not take it for the end", "checked": ["K"] },
    "paths": { "text": "/oauth/token and /oauth/revoke are our server's; others have others, so they are variables", "checked": ["K"] },
    "elsewhere": { "text": "token and revocation paths of other servers: GitLab oauth/token, oauth/revoke; Logto oidc/token, oidc/token/revocation; Spring Authorization Server oauth2/token, oauth2/revoke; ZITADEL oauth/v2/token, oauth/v2/revoke", "checked": ["K"] }
  }
}
"""##,
        "okta": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "okta",
  "title": "Okta",
  "variables": {
    "authorization_server": { "about": "The id of the authorization server.", "default": "default" },
    "client_id": { "about": "The app's client id, as registered; public." },
    "scope": { "about": "The scopes to ask for; without them those that were granted.", "default": "" }
  },
  "endpoints": {
    "refresh": {
      "path": "/oauth2/${authorization_server}/v1/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "scope": "$scope",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": {
      "path": "/oauth2/${authorization_server}/v1/revoke",
      "form": { "token": "$refresh_token", "token_type_hint": "refresh_token", "client_id": "$client_id" }
    },
    "me": { "method": "GET", "path": "/oauth2/${authorization_server}/v1/userinfo", "attach": true }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "optional",
  "reuseGrace": 30,
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "expired, idle too long, revoked, or used again after the grace period, which ends all tokens" },
    { "on": ["refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "code + PKCE at /oauth2/{server}/v1/token, scope offline_access", "checked": ["D"] },
    "refresh": { "text": "POST /oauth2/{server}/v1/token form, client_id or Basic, optional scope", "checked": ["D"] },
    "success": { "text": "200 `token_type, expires_in, access_token, scope, refresh_token, id_token`", "checked": ["D"] },
    "expiry": { "text": "`expires_in` seconds (3600)", "checked": ["D"] },
    "rotation": { "text": "persistent for native and web by default, rotating for single-page apps; grace 0 to 60 s, default 30; reuse kills the newest refresh token and all access tokens since login", "checked": ["D"] },
    "dead": { "text": "400 invalid_grant", "checked": ["K"] },
    "access_expired": { "text": "401", "checked": ["K"] },
    "logout": { "text": "POST …/v1/revoke", "checked": ["K"] },
    "logout_all": { "text": "DELETE user sessions with oauthTokens=true (admin)", "checked": ["K"] },
    "sessions": { "text": "admin", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://ORGANIZATION.okta.com or a domain of your own; the app's own API lies on another host, which the app names among its additional hosts", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["D"] },
    "grace": { "text": "0 to 60 s, as the application is set; 30 s is the default", "checked": ["D"] },
    "org_server": { "text": "the organization's own server has no id in its paths: the preset oauth2 with oauth2/v1/token and oauth2/v1/revoke serves it", "checked": ["K"] }
  }
}
"""##,
        "ory-hydra": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "ory-hydra",
  "title": "Ory Hydra",
  "variables": {
    "client_id": { "about": "The app's client id, as registered; public." },
    "scope": { "about": "The scopes to ask for; without them those that were granted.", "default": "" }
  },
  "endpoints": {
    "refresh": {
      "path": "/oauth2/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "scope": "$scope",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": {
      "path": "/oauth2/revoke",
      "form": { "token": "$refresh_token", "token_type_hint": "refresh_token", "client_id": "$client_id" }
    },
    "me": { "method": "GET", "path": "/userinfo", "attach": true }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": [400, 401], "if": { "at": "/error", "oneOf": ["invalid_grant", "token_inactive"] },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "expired, revoked, or used again outside the grace period" },
    { "on": ["refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "OAuth code + PKCE, scope offline_access", "checked": ["D"] },
    "refresh": { "text": "POST /oauth2/token form; client_id in body or Basic", "checked": ["D"] },
    "success": { "text": "200 `access_token, refresh_token, id_token, expires_in, scope, token_type`", "checked": ["S"] },
    "expiry": { "text": "`expires_in` seconds", "checked": ["S"] },
    "rotation": { "text": "always; the OLD ACCESS TOKEN dies too; optional grace of at most 5 minutes, or up to 30 days when a reuse count limit is set too", "checked": ["D"] },
    "dead": { "text": "400 invalid_grant (token_inactive on reuse); older versions invalid_request", "checked": ["S", "K"] },
    "access_expired": { "text": "401 from the proxy or introspection active:false", "checked": ["K"] },
    "logout": { "text": "POST /oauth2/revoke", "checked": ["K"] },
    "sessions": { "text": "admin API consent sessions", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["D"] },
    "older_versions": { "text": "older versions answer a dead refresh token with 400 invalid_request, as they do to a malformed request: that ends no session here", "checked": ["S"] },
    "grace": { "text": "none by default, so none is assumed", "checked": ["D"] },
    "old_access_token": { "text": "a request that is under way with the old access token fails when somebody refreshes; it is sent again with the new one", "checked": ["D"] }
  }
}
"""##,
        "outbox": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "outbox",
  "title": "Outbox",
  "endpoints": {
    "login.password": { "path": "/api/v1/auth/login", "json": { "email": "$email", "password": "$password" } },
    "refresh": { "path": "/api/v1/auth/refresh", "json": { "refresh_token": "$refresh_token" } }
  },
  "reply": {
    "envelope": "/data",
    "anyCasing": true,
    "access": "/access_token",
    "refresh": "/refresh_token",
    "expiry": [{ "jwt": "exp" }, { "assume": 900 }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": "400-428", "if": { "at": "/message", "contains": "refresh token revoked" },
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "an old refresh token; the text is given, its place and status are not" },
    { "on": "refresh", "status": "400-428", "if": { "at": "/error", "contains": "refresh token revoked" },
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "the same text in another place" },
    { "on": "refresh", "status": "400-428", "if": { "at": "/error/message", "contains": "refresh token revoked" },
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "the same text in another place" },
    { "on": "refresh", "status": "400-428", "if": { "at": "/detail", "contains": "refresh token revoked" },
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "the same text in another place" },
    { "on": "refresh", "status": 401, "outcome": "sessionEnded", "reason": "unknown",
      "note": "ours, whatever the text says" },
    { "on": "refresh", "status": 409, "if": { "at": "/error", "equals": "superseded" }, "outcome": "superseded",
      "note": "only Freshet's own server says this, of a late duplicate; the session goes on" },
    { "on": "api", "status": 401, "outcome": "accessExpired",
      "note": "the access token is no longer taken: refresh, replay once" }
  ],
  "errors": { "code": "/error", "message": ["/message", "/error/message", "/detail"] },
  "policy": { "ahead": 300 },
  "server": {
    "rotation": "plain",
    "lifetimes": { "access": 900, "idle": 2592000, "absolute": 15552000 },
    "replies": {
      "login": {
        "status": 200,
        "json": {
          "data": {
            "access_token": "$access_token",
            "refresh_token": "$refresh_token",
            "accessToken": "$access_token",
            "refreshToken": "$refresh_token"
          }
        }
      },
      "refresh": {
        "status": 200,
        "json": {
          "data": {
            "access_token": "$access_token",
            "refresh_token": "$refresh_token",
            "accessToken": "$access_token",
            "refreshToken": "$refresh_token"
          }
        }
      }
    },
    "resources": [
      {
        "method": "POST",
        "path": "/api/v1/messages",
        "reply": { "status": 201, "json": { "data": { "now": "$now" } } }
      },
      { "method": "POST", "path": "/api/v1/items", "reply": { "status": 201, "json": { "data": { "now": "$now" } } } },
      { "method": "GET", "path": "/api/v1/items", "reply": { "status": 200, "json": { "data": [] } } }
    ],
    "errors": {
      "accessExpired": {
        "status": 401,
        "json": { "error": "unauthorized", "message": "$message" },
        "headers": { "WWW-Authenticate": "Bearer error=\"invalid_token\"" }
      },
      "sessionEnded": { "status": 401, "json": { "error": "token_revoked", "message": "Refresh token revoked" } },
      "superseded": { "status": 409, "json": { "error": "superseded", "message": "$message" } },
      "refused": { "status": 401, "json": { "error": "invalid_credentials", "message": "$message" } },
      "invalidRequest": { "status": 400, "json": { "error": "invalid_request", "message": "$message" } },
      "forbidden": { "status": 403, "json": { "error": "forbidden", "message": "$message" } },
      "notFound": { "status": 404, "json": { "error": "not_found", "message": "$message" } },
      "throttled": { "status": 429, "json": { "error": "too_many_requests", "message": "$message" } }
    }
  },
  "facts": {
    "login": { "text": "not given", "checked": ["S"] },
    "refresh": { "text": "POST /api/v1/auth/refresh, JSON `refresh_token`", "checked": ["S"] },
    "success": { "text": "enveloped in `data`; the app reads accessToken and refreshToken; the wire casing is not shown, so accept both casings", "checked": ["S"] },
    "expiry": { "text": "none: JWT `exp`, else an assumed 15 min; 5 min buffer", "checked": ["S"] },
    "rotation": { "text": "always; an old one answers 'Refresh token revoked'", "checked": ["S"] },
    "dead": { "text": "error text 'Refresh token revoked' (status not given)", "checked": ["S"] },
    "access_expired": { "text": "401 (15 min)", "checked": ["S"] },
    "logout": { "text": "none", "checked": ["S"] },
    "sessions": { "text": "none", "checked": ["S"] },
    "websocket": { "text": "none", "checked": ["S"] },
    "login_path": { "text": "the login's path is not given; POST /api/v1/auth/login JSON `email, password` is ours, as are the example resources at /api/v1/messages and /api/v1/items", "checked": ["K"] },
    "bodies": { "text": "the server writes both casings, because the app's model reads camel case and its wire names are not shown; error bodies are ours", "checked": ["K"] }
  }
}
"""##,
        "parse-server": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "parse-server",
  "title": "Parse Server",
  "variables": {
    "mount": { "about": "The server's mount path, without the first slash.", "default": "parse" },
    "application_id": { "about": "The application id; public." },
    "rest_key": { "about": "The REST API key, if the server wants one; public.", "default": "" }
  },
  "endpoints": {
    "login.password": {
      "path": "/${mount}/login",
      "headers": { "X-Parse-Application-Id": "$application_id", "X-Parse-REST-API-Key": "$rest_key" },
      "json": { "username": "$username", "password": "$password" }
    },
    "login.signup": {
      "path": "/${mount}/users",
      "headers": {
        "X-Parse-Application-Id": "$application_id",
        "X-Parse-REST-API-Key": "$rest_key",
        "X-Parse-Revocable-Session": "1"
      },
      "json": { "username": "$username", "email": "$email", "password": "$password" }
    },
    "logout": {
      "path": "/${mount}/logout",
      "headers": { "X-Parse-Application-Id": "$application_id", "X-Parse-REST-API-Key": "$rest_key" },
      "attach": true
    },
    "me": {
      "method": "GET",
      "path": "/${mount}/users/me",
      "headers": { "X-Parse-Application-Id": "$application_id", "X-Parse-REST-API-Key": "$rest_key" },
      "attach": true
    }
  },
  "reply": {
    "access": "/sessionToken",
    "user": { "id": "/objectId", "email": "/email" },
    "expiry": [{ "assume": 31536000 }]
  },
  "rotation": "none",
  "attach": {
    "header": "X-Parse-Session-Token",
    "scheme": "",
    "headers": { "X-Parse-Application-Id": "$application_id", "X-Parse-REST-API-Key": "$rest_key" }
  },
  "classify": [
    { "on": "api", "status": 400, "if": { "at": "/code", "equals": 209 }, "outcome": "accessExpired",
      "note": "the session token is over, and nothing renews it: the user is signed out" },
    { "on": "api", "status": 401, "outcome": "forbidden",
      "note": "says nothing about the session, and must not end it" },
    { "on": "login", "status": 403, "if": { "at": "/error", "equals": "unauthorized" }, "outcome": "misconfigured",
      "note": "application id or key is wrong" }
  ],
  "errors": { "code": "/code", "message": "/error" },
  "facts": {
    "login": { "text": "POST /login JSON `username, password`; 200 user fields with `objectId, sessionToken`", "checked": ["K"] },
    "refresh": { "text": "none: one session token, opaque, in X-Parse-Session-Token", "checked": ["S"] },
    "expiry": { "text": "not in the reply; sessions last a year by default", "checked": ["K"] },
    "access_expired": { "text": "400 `{code:209, error}`: every error but 'object not found' (404) and internal ones (500) is 400", "checked": ["S"] },
    "wrong_key": { "text": "403 `{error:'unauthorized'}` for a wrong application id or key", "checked": ["S"] },
    "logout": { "text": "POST /logout with the session token", "checked": ["K"] },
    "sessions": { "text": "the class _Session can be queried by its owner", "checked": ["K"] },
    "websocket": { "text": "LiveQuery has a protocol of its own; the session token stands in its messages", "checked": ["K"] }
  }
}
"""##,
        "pocketbase": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "pocketbase",
  "title": "PocketBase",
  "variables": {
    "collection": { "about": "The auth collection.", "default": "users" }
  },
  "endpoints": {
    "login.password": {
      "path": "/api/collections/${collection}/auth-with-password",
      "json": { "identity": "$email", "password": "$password" }
    },
    "login.code": { "path": "/api/collections/${collection}/request-otp", "json": { "email": "$email" } },
    "login.code.verify": {
      "path": "/api/collections/${collection}/auth-with-otp",
      "json": { "otpId": "$attempt", "password": "$code" }
    },
    "refresh": { "path": "/api/collections/${collection}/auth-refresh", "attach": true }
  },
  "reply": {
    "access": "/token",
    "user": { "id": "/record/id", "email": "/record/email" },
    "attempt": "/otpId",
    "expiry": [{ "jwt": "exp" }, { "assume": 1209600 }]
  },
  "rotation": "sliding",
  "attach": { "scheme": "" },
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/status", "equals": 401 }, "outcome": "sessionEnded",
      "reason": "expired",
      "note": "the token is over or void: nothing renews it after its end" },
    { "on": "refresh", "status": 403, "if": { "at": "/status", "equals": 403 }, "outcome": "misconfigured",
      "note": "a token that an administrator made is not refreshable; it is good until its end" }
  ],
  "errors": { "message": "/message" },
  "policy": { "ahead": 259200 },
  "facts": {
    "login": { "text": "POST /api/collections/users/auth-with-password JSON `identity, password`; 200 `{token, record}`", "checked": ["K"] },
    "refresh": { "text": "POST /api/collections/users/auth-refresh, no body, current token in Authorization (scheme word optional)", "checked": ["S"] },
    "success": { "text": "200 `{token, record}`", "checked": ["S", "K"] },
    "expiry": { "text": "JWT exp (14 days)", "checked": ["K"] },
    "rotation": { "text": "single sliding token; the old one is not revoked; only before expiry; static tokens are not refreshable (403)", "checked": ["S", "K"] },
    "dead": { "text": "401 `{status, message, data:{}}`; 403 not refreshable; 404 missing record", "checked": ["S"] },
    "access_expired": { "text": "an invalid token makes the caller a GUEST: list rules may answer 200 with an empty list or 404 instead of 401", "checked": ["S", "K"] },
    "logout": { "text": "client-side", "checked": ["K"] },
    "logout_all": { "text": "changing the token key or password", "checked": ["K"] },
    "sessions": { "text": "none", "checked": ["K"] },
    "websocket": { "text": "server-sent events; token posted to /api/realtime", "checked": ["K"] },
    "ahead": { "text": "renewal is possible before the end only, so it begins up to 3 days earlier", "checked": ["S", "K"] },
    "guest": { "text": "Not expressed: that an expired token is no error but makes the caller a guest; only the clock can tell", "checked": ["S", "K"] },
    "code": { "text": "POST …/request-otp `email` answers 200 `otpId`, also for an unknown address; POST …/auth-with-otp `otpId, password`; the collection must allow it", "checked": ["S"] },
    "mfa": { "text": "a collection with two factors answers the first with 401 `mfaId`. Not expressed: the second factor", "checked": ["K"] },
    "realtime": { "text": "Not expressed: server-sent events", "checked": ["K"] }
  }
}
"""##,
        "salesforce": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "salesforce",
  "title": "Salesforce",
  "variables": {
    "client_id": { "about": "The consumer key of the connected app." }
  },
  "secrets": { "client_secret": { "about": "Not for a connected app that wants none for the refresh token flow." } },
  "endpoints": {
    "refresh": {
      "path": "/services/oauth2/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": { "path": "/services/oauth2/revoke", "form": { "token": "$refresh_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "assume": 315360000 }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "expired access/refresh token" }],
      "outcome": "sessionEnded", "reason": "expired",
      "note": "expired, revoked, or pushed out by newer grants" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "inactive user" }],
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is disabled" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "authentication failure" }],
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "no token of this app" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "ip restricted" }],
      "outcome": "transient",
      "note": "the place, not the session, is refused" },
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" },
             { "at": "/error_description", "contains": "invalid login hours" }],
      "outcome": "transient",
      "note": "the hour, not the session, is refused" },
    { "on": ["refresh", "logout"], "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" },
    { "on": "api", "status": 403, "if": { "at": "/0/errorCode", "equals": "REQUEST_LIMIT_EXCEEDED" },
      "outcome": "throttled",
      "note": "a quota, said with 403; the body's root is a list" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "code or user-agent flow", "checked": ["D"] },
    "refresh": { "text": "POST /services/oauth2/token form `grant_type, client_id, client_secret?, refresh_token, format?`", "checked": ["D"] },
    "success": { "text": "200 `access_token, instance_url, id, issued_at, signature, token_type, scope`; no expires_in", "checked": ["D", "K"] },
    "expiry": { "text": "none: session timeout policy; `issued_at` epoch milliseconds as TEXT", "checked": ["D", "K"] },
    "rotation": { "text": "off by default (optional rotation exists); 5 grants per user and app, the oldest dies", "checked": ["I"] },
    "dead": { "text": "400 `{error:invalid_grant, error_description:'expired access/refresh token'}`; also 'inactive user', 'authentication failure'", "checked": ["I"] },
    "access_expired": { "text": "401 `[{message:'Session expired or invalid', errorCode:'INVALID_SESSION_ID'}]` (a LIST)", "checked": ["D", "K"] },
    "logout": { "text": "POST /services/oauth2/revoke", "checked": ["K"] },
    "sessions": { "text": "admin session management", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://login.salesforce.com, or the organization's own domain", "checked": ["K"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["D"] },
    "instance": { "text": "`instance_url` names the host of the API. Not expressed: a host from a reply; the app names it among its additional hosts", "checked": ["D", "K"] },
    "reactive": { "text": "no reply tells the access token's end: ten years are assumed, and the first 401 tells", "checked": ["D", "K"] },
    "more_texts": { "text": "'ip restricted' and 'invalid login hours' are invalid_grant too, and pass; other texts end no session here", "checked": ["K"] },
    "quota": { "text": "403 `[{errorCode:'REQUEST_LIMIT_EXCEEDED'}]`", "checked": ["K"] }
  }
}
"""##,
        "simplejwt": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "simplejwt",
  "title": "Django REST framework with SimpleJWT",
  "endpoints": {
    "login.password": { "path": "/api/token/", "json": { "username": "$username", "password": "$password" } },
    "refresh": { "path": "/api/token/refresh/", "json": { "refresh": "$refresh_token" } },
    "logout": { "path": "/api/token/blacklist/", "json": { "refresh": "$refresh_token" } }
  },
  "reply": {
    "access": "/access",
    "refresh": "/refresh",
    "expiry": [{ "jwt": "exp" }, { "assume": 300 }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 401,
      "if": [{ "at": "/code", "equals": "token_not_valid" }, { "at": "/detail", "contains": "blacklisted" }],
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "used once already, or signed out" },
    { "on": "refresh", "status": 401,
      "if": [{ "at": "/code", "equals": "token_not_valid" }, { "at": "/detail", "contains": "expired" }],
      "outcome": "sessionEnded", "reason": "expired",
      "note": "its life is over" },
    { "on": "refresh", "status": 401, "if": { "at": "/code", "equals": "token_not_valid" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "the same code for every other fault of the token" },
    { "on": "refresh", "status": 401, "if": { "at": "/detail", "contains": "no active account" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is disabled; there is no code" },
    { "on": "logout", "status": 401, "if": { "at": "/code", "equals": "token_not_valid" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "over already" },
    { "on": "logout", "status": 404, "outcome": "misconfigured",
      "note": "the backend has no block list: the session ends on this device alone" },
    { "on": "api", "status": 401, "if": { "at": "/code", "equals": "password_changed" }, "outcome": "stepUp",
      "note": "refreshed tokens carry the old password's mark too, so only a sign-in helps" }
  ],
  "errors": { "code": "/code", "message": "/detail" },
  "facts": {
    "login": { "text": "POST /api/token/ JSON `username, password`; 200 `{refresh, access}`", "checked": ["R"] },
    "refresh": { "text": "POST /api/token/refresh/ JSON `refresh`", "checked": ["R"] },
    "success": { "text": "200 `{access}`, plus `refresh` when ROTATE_REFRESH_TOKENS", "checked": ["R"] },
    "expiry": { "text": "JWT exp only (access 5 min, refresh 1 day by default)", "checked": ["R", "K"] },
    "rotation": { "text": "off by default; with rotation and blacklist the old one answers 401 'Token is blacklisted'", "checked": ["R"] },
    "dead": { "text": "401 `{detail, code:'token_not_valid'}` for expired, garbage and blacklisted alike; missing field 400 `{refresh:[…]}`", "checked": ["R"] },
    "access_expired": { "text": "401 with the SAME code token_not_valid plus `messages[]`; WWW-Authenticate Bearer realm=\"api\"", "checked": ["R"] },
    "logout": { "text": "POST /api/token/blacklist/ JSON `refresh`, 200 `{}`", "checked": ["R"] },
    "sessions": { "text": "none", "checked": ["S"] },
    "websocket": { "text": "channels: query or subprotocol, by hand", "checked": ["K"] },
    "inactive": { "text": "a disabled account's refresh answers 401 `{detail:'No active account found for the given token.'}` without a code; the text follows Accept-Language", "checked": ["R", "K"] },
    "deleted": { "text": "a deleted account's refresh answers 500 (5.5.1), which ends no session", "checked": ["R"] },
    "password_changed": { "text": "with CHECK_REVOKE_TOKEN the API answers 401 `{code:'password_changed'}` after a change of password, and refreshes still succeed", "checked": ["R"] },
    "no_blacklist": { "text": "without the block list's app POST /api/token/blacklist/ is 404 with a page", "checked": ["R"] },
    "no_slash": { "text": "without the last slash the answer is 301", "checked": ["R"] },
    "lifetime": { "text": "access tokens live 5 minutes by default", "checked": ["R", "K"] }
  }
}
"""##,
        "slack": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "slack",
  "title": "Slack",
  "variables": {
    "client_id": { "about": "The app's client id, as registered; public." }
  },
  "secrets": { "client_secret": { "about": "Not for an app with PKCE, which is a public client." } },
  "endpoints": {
    "refresh": {
      "path": "/api/oauth.v2.access",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "refresh_token": "$refresh_token"
      }
    }
  },
  "reply": {
    "success": { "at": "/ok", "equals": true },
    "access": ["/access_token", "/token"],
    "refresh": "/refresh_token",
    "expiry": [{ "in": "/expires_in", "unit": "s" }, { "at": "/exp", "unit": "s" }, { "assume": 43200 }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 200, "if": { "at": "/error", "equals": "invalid_refresh_token" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "success and failure share the status; used once already, or revoked" },
    { "on": "refresh", "status": 200,
      "if": { "at": "/error", "oneOf": ["internal_error", "fatal_error", "service_unavailable", "request_timeout"] },
      "outcome": "transient",
      "note": "a fault of the service, said with 200" },
    { "on": ["api", "refresh"], "status": 200, "if": { "at": "/error", "equals": "ratelimited" },
      "outcome": "throttled",
      "note": "a rate limit, said with 200" },
    { "on": "refresh", "status": 200, "if": { "at": "/ok", "equals": false }, "outcome": "misconfigured",
      "note": "any other error is about the app: its id, its secret, its setup" },
    { "on": "api", "status": 200,
      "if": [{ "at": "/ok", "equals": false }, { "at": "/error", "oneOf": ["token_expired", "token_revoked"] }],
      "outcome": "accessExpired",
      "note": "even 'expired' is a 200" }
  ],
  "errors": { "code": "/error" },
  "facts": {
    "login": { "text": "oauth.v2.access with code", "checked": ["D"] },
    "refresh": { "text": "POST /api/oauth.v2.access form `client_id, client_secret, grant_type=refresh_token, refresh_token`; config tokens: tooling.tokens.rotate", "checked": ["D"] },
    "success": { "text": "200 `{ok:true, access_token, refresh_token, expires_in,…}`; config tokens use `token, iat, exp`", "checked": ["D"] },
    "expiry": { "text": "`expires_in` seconds (43200) or `exp` epoch seconds", "checked": ["D"] },
    "rotation": { "text": "always", "checked": ["D"] },
    "dead": { "text": "HTTP 200 `{ok:false, error:'invalid_refresh_token'}`", "checked": ["D"] },
    "access_expired": { "text": "HTTP 200 `{ok:false, error:'token_expired'}`", "checked": ["D", "K"] },
    "logout": { "text": "auth.revoke", "checked": ["K"] },
    "sessions": { "text": "n/a", "checked": ["K"] },
    "websocket": { "text": "apps.connections.open then a ticket URL", "checked": ["K"] },
    "base_url": { "text": "https://slack.com, for tokens and for APIs", "checked": ["D"] },
    "sign_in": { "text": "in a browser; the app hands over the tokens that it got. With PKCE the app is a public client without a secret, and refresh tokens end after 30 days (https://docs.slack.dev/changelog/2026/03/30/pkce)", "checked": ["D"] },
    "token_type": { "text": "`token_type` is bot or user while the scheme is Bearer, so it is not compared", "checked": ["K"] },
    "errors": { "text": "internal_error, fatal_error, service_unavailable, request_timeout, ratelimited, token_revoked", "checked": ["K"] },
    "user_tokens": { "text": "Not expressed: a user's token under `authed_user` in the answer to a sign-in", "checked": ["K"] },
    "socket_ticket": { "text": "Not expressed: a socket whose URL a call hands out", "checked": ["K"] }
  }
}
"""##,
        "spotify": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "spotify",
  "title": "Spotify",
  "variables": {
    "client_id": { "about": "The app's client id, as registered; public." }
  },
  "endpoints": {
    "refresh": {
      "path": "/api/token",
      "form": { "grant_type": "refresh_token", "client_id": "$client_id", "refresh_token": "$refresh_token" }
    }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }],
    "refreshExpiry": { "sources": [{ "assume": 15552000 }], "extends": false }
  },
  "rotation": "optional",
  "attach": { "hosts": ["https://api.spotify.com"] },
  "classify": [
    { "on": "refresh", "status": 400,
      "if": [{ "at": "/error", "equals": "invalid_grant" }, { "at": "/error_description", "contains": "revoked" }],
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "the user removed the app" },
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "invalid, expired, revoked, or issued to another client (RFC 6749 section 5.2)" },
    { "on": "refresh", "status": [400, 401],
      "if": { "at": "/error", "oneOf": ["invalid_client", "unauthorized_client"] }, "outcome": "misconfigured",
      "note": "the client is wrong, not the session: never a sign-out" }
  ],
  "errors": { "code": "/error", "message": "/error_description" },
  "facts": {
    "login": { "text": "code + PKCE", "checked": ["D"] },
    "refresh": { "text": "POST /api/token form `grant_type, refresh_token`; client_id in the body for PKCE, Basic for confidential", "checked": ["D"] },
    "success": { "text": "200 `access_token, token_type, scope, expires_in, refresh_token?`", "checked": ["D"] },
    "expiry": { "text": "`expires_in` seconds (3600); the refresh token has a fixed 6-month life that refreshing does not extend", "checked": ["D"] },
    "rotation": { "text": "optional: absent means keep", "checked": ["D"] },
    "dead": { "text": "400 `{error:invalid_grant, error_description:'Refresh token revoked'}`", "checked": ["I"] },
    "access_expired": { "text": "401 `{error:{status:401,message:'The access token expired'}}`", "checked": ["K"] },
    "logout": { "text": "user's account page", "checked": ["K"] },
    "sessions": { "text": "n/a", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "base_url": { "text": "https://accounts.spotify.com, and APIs at https://api.spotify.com", "checked": ["D"] },
    "sign_in": { "text": "a sign-in happens in a browser (authorization code with PKCE, RFC 7636); the app hands over the tokens that it got", "checked": ["D"] },
    "refresh_end": { "text": "6 months, taken as 180 days", "checked": ["D"] }
  }
}
"""##,
        "strapi": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "strapi",
  "title": "Strapi 5 users and permissions",
  "endpoints": {
    "login.password": { "path": "/api/auth/local", "json": { "identifier": "$email", "password": "$password" } },
    "login.signup": {
      "path": "/api/auth/local/register",
      "json": { "username": "$username", "email": "$email", "password": "$password" }
    },
    "refresh": { "path": "/api/auth/refresh", "json": { "refreshToken": "$refresh_token" } },
    "logout": { "path": "/api/auth/logout", "attach": true, "json": { "refreshToken": "$refresh_token" } },
    "me": { "method": "GET", "path": "/api/users/me", "attach": true }
  },
  "reply": {
    "access": "/jwt",
    "refresh": "/refreshToken",
    "user": { "id": "/user/id", "email": "/user/email" },
    "expiry": [{ "jwt": "exp" }, { "assume": 604800 }]
  },
  "rotation": "optional",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/error/status", "equals": 401 }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "invalid, expired or rotated out" },
    { "on": "login", "status": 200, "if": [{ "at": "/jwt", "exists": false }, { "at": "/user", "exists": true }],
      "outcome": "refused",
      "note": "a new account whose address must be confirmed first gets no token" }
  ],
  "errors": { "code": "/error/name", "message": "/error/message" },
  "facts": {
    "login": { "text": "POST /api/auth/local JSON `identifier, password`; 200 `{jwt, user}`, in refresh mode also `refreshToken` or an HttpOnly cookie strapi_up_refresh", "checked": ["D", "I"] },
    "refresh": { "text": "POST /api/auth/refresh JSON `refreshToken` or the cookie (mode 'refresh' only)", "checked": ["D", "I"] },
    "success": { "text": "200 `{jwt, refreshToken?}`", "checked": ["D", "K"] },
    "expiry": { "text": "JWT exp; defaults 7 days access, 30 days max, 7 days idle", "checked": ["D"] },
    "rotation": { "text": "refresh mode rotates; default mode has one long JWT and no refresh", "checked": ["D", "K"] },
    "dead": { "text": "401 `{data:null, error:{status,name,message,details}}`", "checked": ["K"] },
    "access_expired": { "text": "401 same envelope", "checked": ["K"] },
    "logout": { "text": "POST /api/auth/logout in refresh mode", "checked": ["K"] },
    "sessions": { "text": "admin side only", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "legacy": { "text": "without refresh mode there is no refresh token: the session lasts as long as its token", "checked": ["D", "K"] },
    "cookie_mode": { "text": "Not expressed: refresh mode with an HttpOnly cookie, which leaves no refresh token to the app", "checked": ["D", "I"] },
    "signup": { "text": "POST /api/auth/local/register `username, email, password`; with confirmation by e-mail it answers the user alone", "checked": ["S"] },
    "forbidden": { "text": "403 also answers a missing token on a route for signed-in roles; a token is always sent here", "checked": ["K"] }
  }
}
"""##,
        "supabase": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "supabase",
  "title": "Supabase Auth",
  "variables": {
    "api_key": { "about": "The project's publishable (anon) key, from its API settings; public." }
  },
  "endpoints": {
    "login.password": {
      "path": "/auth/v1/token",
      "query": { "grant_type": "password" },
      "headers": { "apikey": "$api_key" },
      "json": { "email": "$email", "password": "$password" }
    },
    "login.signup": {
      "path": "/auth/v1/signup",
      "headers": { "apikey": "$api_key" },
      "json": { "email": "$email", "password": "$password" }
    },
    "login.code": {
      "path": "/auth/v1/otp",
      "headers": { "apikey": "$api_key" },
      "json": { "email": "$email", "create_user": true }
    },
    "login.code.verify": {
      "path": "/auth/v1/verify",
      "headers": { "apikey": "$api_key" },
      "json": { "type": "email", "email": "$email", "token": "$code" }
    },
    "login.apple": {
      "path": "/auth/v1/token",
      "query": { "grant_type": "id_token" },
      "headers": { "apikey": "$api_key" },
      "json": { "provider": "apple", "id_token": "$identity_token", "nonce": "$nonce" }
    },
    "refresh": {
      "path": "/auth/v1/token",
      "query": { "grant_type": "refresh_token" },
      "headers": { "apikey": "$api_key" },
      "json": { "refresh_token": "$refresh_token" }
    },
    "logout": {
      "path": "/auth/v1/logout",
      "query": { "scope": "local" },
      "headers": { "apikey": "$api_key" },
      "attach": true
    },
    "logoutAll": {
      "path": "/auth/v1/logout",
      "query": { "scope": "global" },
      "headers": { "apikey": "$api_key" },
      "attach": true
    },
    "me": { "method": "GET", "path": "/auth/v1/user", "headers": { "apikey": "$api_key" }, "attach": true }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "user": { "id": "/user/id", "email": "/user/email" },
    "expiry": [{ "in": "/expires_in", "unit": "s" }, { "at": "/expires_at", "unit": "s" }]
  },
  "rotation": "always",
  "reuseGrace": 10,
  "attach": { "headers": { "apikey": "$api_key" } },
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/error_code", "equals": "refresh_token_already_used" },
      "outcome": "sessionEnded", "reason": "reused",
      "note": "older than the parent of the live token and past the reuse interval: the session was revoked" },
    { "on": "refresh", "status": 400, "if": { "at": "/error_code", "equals": "session_expired" },
      "outcome": "sessionEnded", "reason": "expired",
      "note": "the project's time limit for sessions, or for unused ones" },
    { "on": "refresh", "status": 400, "if": { "at": "/error_code", "equals": "session_not_found" },
      "outcome": "sessionEnded", "reason": "revoked",
      "note": "signed out elsewhere, or revoked" },
    { "on": "refresh", "status": 400, "if": { "at": "/error_code", "equals": "user_banned" },
      "outcome": "sessionEnded", "reason": "disabled",
      "note": "the account is banned" },
    { "on": "refresh", "status": 400, "if": { "at": "/error_code", "equals": "refresh_token_not_found" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "unknown to the project, or deleted with its session" },
    { "on": "refresh", "status": 400,
      "if": { "at": "/code",
              "oneOf": ["refresh_token_already_used", "session_expired", "session_not_found", "user_banned",
                        "refresh_token_not_found"] },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "the same codes where a gateway asks for the API version 2024-01-01" },
    { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "how older self-hosted versions refuse a refresh token" },
    { "on": "login", "status": 200,
      "if": [{ "at": "/access_token", "exists": false }, { "at": "/confirmation_sent_at", "exists": true }],
      "outcome": "refused",
      "note": "a new account whose address must be confirmed first gets no tokens" },
    { "on": "logout", "status": [401, 403], "outcome": "accessExpired",
      "note": "the access token is over, so the server cannot be told; the session ends by its own limits" },
    { "on": "api", "status": 403, "if": { "at": "/error_code", "oneOf": ["bad_jwt", "session_not_found"] },
      "outcome": "accessExpired",
      "note": "at the auth service 403 means a bad token; the refresh tells whether the session is over" },
    { "on": "api", "status": 403, "if": { "at": "/code", "oneOf": ["bad_jwt", "session_not_found"] },
      "outcome": "accessExpired",
      "note": "the same with the API version 2024-01-01" },
    { "on": "api", "status": 400, "if": { "at": "/message", "contains": "jwt expired" }, "outcome": "accessExpired",
      "note": "the storage service says it with 400" },
    { "on": "api", "status": 400, "if": { "at": "/message", "contains": "\"exp\" claim timestamp check failed" },
      "outcome": "accessExpired",
      "note": "newer storage services word it so" }
  ],
  "errors": { "code": ["/error_code", "/code", "/error"], "message": ["/msg", "/message", "/error_description"] },
  "facts": {
    "login": { "text": "POST /auth/v1/token?grant_type=password, JSON `email`|`phone`, `password`; header `apikey`; also pkce, id_token, otp verify", "checked": ["S"] },
    "refresh": { "text": "POST /auth/v1/token?grant_type=refresh_token, JSON `refresh_token`; header `apikey`", "checked": ["S"] },
    "success": { "text": "200 `access_token, token_type, expires_in, expires_at, refresh_token, user{…}` (+ weak_password, provider_token)", "checked": ["S"] },
    "expiry": { "text": "both `expires_in` seconds and `expires_at` epoch seconds; also JWT exp", "checked": ["S"] },
    "rotation": { "text": "always by default; the immediate parent of the live token is always accepted and answered with the live token; older ones only within the reuse interval (local default 10 s); otherwise the family or session is revoked", "checked": ["S"] },
    "dead": { "text": "400 `{code,error_code,msg}`; codes refresh_token_not_found, refresh_token_already_used, session_not_found, session_expired, user_banned, validation_failed; with the 2024-01-01 API version header `{code,message}` where code is text; header x-sb-error-code", "checked": ["S"] },
    "access_expired": { "text": "auth service itself: 403 bad_jwt (401 only when no bearer is present); data API: 401 `{code:PGRST301 or PGRST303, message:'JWT expired'}` by version", "checked": ["S", "I"] },
    "logout": { "text": "POST /auth/v1/logout?scope=local|others|global (default global), bearer access token, 204", "checked": ["S"] },
    "logout_all": { "text": "same with scope=global; 'others' keeps the caller", "checked": ["S"] },
    "sessions": { "text": "server keeps user agent, IP, created, refreshed, not_after, AAL, tag per session; no public list endpoint for end users (SQL on auth.sessions)", "checked": ["S", "K"] },
    "websocket": { "text": "realtime: key in the query, user token in the join payload and pushed again as an access_token message; stale sockets after resume are a known complaint. Not expressed: the key in the query beside the token, and a join message for each channel", "checked": ["I"] },
    "concurrency": { "text": "409 `conflict` when too many requests refresh one session at once: a fault that passes, as for every backend", "checked": ["K"] },
    "storage_api": { "text": "the storage service answers an expired token with HTTP 400 and `message: 'jwt expired'`; newer ones name the failed check of the `exp` claim", "checked": ["I", "K"] },
    "older_versions": { "text": "older self-hosted versions refuse a refresh token with 400 `{error:invalid_grant, error_description}`", "checked": ["K"] },
    "signup": { "text": "a sign-up that needs confirmation answers 200 with the user alone, among it `confirmation_sent_at`", "checked": ["K"] },
    "code": { "text": "POST /auth/v1/otp `email, create_user` sends a code if the project's mail template has one; POST /auth/v1/verify `type: email, email, token`", "checked": ["K"] },
    "reuse_grace": { "text": "10 s is the local default of the reuse interval; the immediate parent is taken without time limit", "checked": ["S"] }
  }
}
"""##,
        "supertokens": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "supertokens",
  "title": "SuperTokens",
  "variables": {
    "base_path": {
      "about": "The path of the backend's authentication routes, without the first slash.",
      "default": "auth"
    }
  },
  "endpoints": {
    "login.password": {
      "path": "/${base_path}/signin",
      "headers": { "st-auth-mode": "header", "rid": "anti-csrf" },
      "json": { "formFields": [{ "id": "email", "value": "$email" }, { "id": "password", "value": "$password" }] }
    },
    "login.signup": {
      "path": "/${base_path}/signup",
      "headers": { "st-auth-mode": "header", "rid": "anti-csrf" },
      "json": { "formFields": [{ "id": "email", "value": "$email" }, { "id": "password", "value": "$password" }] }
    },
    "refresh": {
      "path": "/${base_path}/session/refresh",
      "headers": { "st-auth-mode": "header", "rid": "anti-csrf", "Authorization": "Bearer $refresh_token" }
    },
    "logout": {
      "path": "/${base_path}/signout",
      "headers": { "st-auth-mode": "header", "rid": "anti-csrf" },
      "attach": true
    }
  },
  "reply": {
    "access": "header:st-access-token",
    "refresh": "header:st-refresh-token",
    "user": { "id": "/user/id", "email": "/user/emails/0" },
    "expiry": [{ "jwt": "exp" }, { "assume": 3600 }]
  },
  "rotation": "always",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/message", "equals": "token theft detected" },
      "outcome": "sessionEnded", "reason": "reused",
      "note": "an old refresh token came back: the session was revoked" },
    { "on": "refresh", "status": 401, "if": { "at": "/message", "equals": "unauthorised" }, "outcome": "sessionEnded",
      "reason": "unknown",
      "note": "expired, revoked or unknown" },
    { "on": "refresh", "status": 401, "if": { "at": "header:front-token", "equals": "remove" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "the backend tells the app to forget the session" },
    { "on": "login", "status": 200,
      "if": [{ "at": "header:st-access-token", "exists": false }, { "at": "/status", "exists": true }],
      "outcome": "refused",
      "note": "a sign-in explains itself in the body's status, with 200" },
    { "on": "logout", "status": 401, "if": { "at": "/message", "exists": true }, "outcome": "accessExpired",
      "note": "the access token is over, so the server cannot be told" }
  ],
  "errors": { "code": "/status", "message": ["/reason", "/message", "/formFields/0/error"] },
  "facts": {
    "login": { "text": "POST /auth/signin JSON `formFields:[{id,value}]`; tokens come in headers or cookies, status text in the body (`status: OK | WRONG_CREDENTIALS_ERROR`, HTTP 200)", "checked": ["D"] },
    "refresh": { "text": "POST /auth/session/refresh, empty body; header mode: refresh token in `Authorization: Bearer` with st-auth-mode: header; cookie mode: sRefreshToken cookie limited to that path; rid and anti-csrf headers", "checked": ["S"] },
    "success": { "text": "200, tokens in response headers st-access-token, st-refresh-token, front-token (or Set-Cookie); body empty", "checked": ["S", "K"] },
    "expiry": { "text": "front-token header: base64 JSON with `ate` in milliseconds; JWT exp", "checked": ["K"] },
    "rotation": { "text": "always, theft detection by parent hash", "checked": ["D"] },
    "dead": { "text": "401 (front-token: remove, cookies cleared); theft detected also 401 with the session revoked", "checked": ["S", "D"] },
    "access_expired": { "text": "401 `{message:'try refresh token'}`; status configurable; 403 is a failed claim check", "checked": ["D", "I"] },
    "logout": { "text": "POST /auth/signout", "checked": ["D"] },
    "logout_all": { "text": "backend call", "checked": ["K"] },
    "sessions": { "text": "backend call", "checked": ["K"] },
    "websocket": { "text": "token in query or message, your choice", "checked": ["K"] },
    "header_mode": { "text": "tokens travel in headers because `st-auth-mode: header` asks for it; the refresh path's cookie is not used", "checked": ["S"] },
    "texts": { "text": "401 bodies: 'unauthorised', 'token theft detected', 'try refresh token'; the status can be set to another one, and then this contract does not fit", "checked": ["S"] },
    "refused": { "text": "WRONG_CREDENTIALS_ERROR, FIELD_ERROR, SIGN_IN_NOT_ALLOWED come with 200 and no tokens", "checked": ["D", "K"] },
    "signup": { "text": "POST /auth/signup with the same form fields", "checked": ["K"] },
    "user": { "text": "a sign-in's body has `user{id, emails[]}`; older ones have `user{id, email}`", "checked": ["K"] },
    "elsewhere": { "text": "Not expressed: new tokens in the headers of any reply", "checked": ["D"] },
    "front_token": { "text": "Not expressed: the end of the access token in a header that holds base64 of JSON; the JWT tells it as well", "checked": ["K"] }
  }
}
"""##,
        "twitch": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "twitch",
  "title": "Twitch",
  "variables": {
    "client_id": { "about": "The app's client id, as registered; public." }
  },
  "secrets": { "client_secret": { "about": "Not for a public client, whose tokens came by the device flow." } },
  "endpoints": {
    "refresh": {
      "path": "/oauth2/token",
      "form": {
        "grant_type": "refresh_token",
        "client_id": "$client_id",
        "client_secret": "$client_secret",
        "refresh_token": "$refresh_token"
      }
    },
    "logout": { "path": "/oauth2/revoke", "form": { "client_id": "$client_id", "token": "$access_token" } }
  },
  "reply": {
    "access": "/access_token",
    "refresh": "/refresh_token",
    "tokenType": "/token_type",
    "expiry": [{ "assume": 315360000 }]
  },
  "rotation": "optional",
  "attach": { "headers": { "Client-Id": "$client_id" }, "hosts": ["https://api.twitch.tv"] },
  "classify": [
    { "on": "refresh", "status": 400, "if": { "at": "/message", "contains": "invalid refresh token" },
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "void; a wrong client is 400 too, with another text" },
    { "on": "refresh", "status": 401, "if": { "at": "/status", "equals": 401 }, "outcome": "sessionEnded",
      "reason": "revoked",
      "note": "the user withdrew the app's access, or changed the password" }
  ],
  "errors": { "code": "/error", "message": "/message" },
  "facts": {
    "login": { "text": "code or device flow", "checked": ["D"] },
    "refresh": { "text": "POST /oauth2/token form `client_id, client_secret, grant_type, refresh_token` (URL-encode the token)", "checked": ["D"] },
    "success": { "text": "200 `access_token, refresh_token, scope, token_type`; scope is text in one page and a list in practice; expires_in may be present", "checked": ["D", "K"] },
    "expiry": { "text": "`expires_in` seconds, but the vendor says do not refresh by the clock: wait for 401", "checked": ["D"] },
    "rotation": { "text": "may change: always store", "checked": ["D"] },
    "dead": { "text": "400 `{status:400, message:'Invalid refresh token', error?}`; 401 when access was withdrawn", "checked": ["I", "D"] },
    "access_expired": { "text": "401 `{status, error, message}`; header also needs Client-Id", "checked": ["D"] },
    "logout": { "text": "POST /oauth2/revoke", "checked": ["K"] },
    "sessions": { "text": "n/a", "checked": ["K"] },
    "websocket": { "text": "EventSub sockets by session id", "checked": ["K"] },
    "base_url": { "text": "https://id.twitch.tv, and APIs at https://api.twitch.tv", "checked": ["D"] },
    "sign_in": { "text": "the device flow, or a browser; the app hands over the tokens that it got", "checked": ["D"] },
    "reactive": { "text": "the vendor asks not to refresh by the clock, so `expires_in` is not read: ten years are assumed, and the first 401 tells", "checked": ["D"] },
    "revoked_token": { "text": "POST /oauth2/revoke `client_id, token` takes the access token", "checked": ["K"] },
    "scope": { "text": "`scope` is a text or a list; it is not read", "checked": ["D", "K"] }
  }
}
"""##,
        "tymon-jwt-auth": ##"""
{
  "$schema": "../contract.schema.json",
  "contract": 1,
  "name": "tymon-jwt-auth",
  "title": "Laravel with tymon/jwt-auth",
  "endpoints": {
    "login.password": { "path": "/auth/login", "json": { "email": "$email", "password": "$password" } },
    "refresh": { "path": "/auth/refresh", "attach": true },
    "logout": { "path": "/auth/logout", "attach": true },
    "me": { "path": "/auth/me", "attach": true }
  },
  "reply": {
    "access": ["/access_token", "header:Authorization"],
    "tokenType": "/token_type",
    "expiry": [{ "in": "/expires_in", "unit": "s" }, { "jwt": "exp" }, { "assume": 3600 }]
  },
  "rotation": "sliding",
  "classify": [
    { "on": "refresh", "status": 401, "if": { "at": "/message", "contains": "can no longer be refreshed" },
      "outcome": "sessionEnded", "reason": "expired",
      "note": "two weeks after the sign-in by default" },
    { "on": "refresh", "status": 401, "if": { "at": "/message", "contains": "blacklisted" }, "outcome": "sessionEnded",
      "reason": "revoked",
      "note": "renewed once already, or signed out" },
    { "on": "refresh", "status": 401,
      "if": [{ "at": "header:WWW-Authenticate", "contains": "jwt-auth" }, { "at": "/message", "exists": true }],
      "outcome": "sessionEnded", "reason": "unknown",
      "note": "the library refuses the token for another reason" }
  ],
  "errors": { "code": "/error", "message": "/message" },
  "facts": {
    "login": { "text": "your route; 200 `{access_token, token_type:'bearer', expires_in}` by its quick start", "checked": ["K"] },
    "refresh": { "text": "POST /auth/refresh, no body, the EXPIRED ACCESS TOKEN in Authorization; or a middleware that refreshes on any request", "checked": ["S", "K"] },
    "success": { "text": "200 `{access_token,…}`, or any reply with a new `Authorization: Bearer …` RESPONSE header", "checked": ["S"] },
    "expiry": { "text": "`expires_in` seconds; JWT exp (60 min)", "checked": ["K"] },
    "rotation": { "text": "single sliding token, refreshable for two weeks from first issue; old one blacklisted, grace period configurable", "checked": ["K"] },
    "dead": { "text": "401 + WWW-Authenticate: jwt-auth ('Token has expired and can no longer be refreshed', 'The token has been blacklisted')", "checked": ["S", "I"] },
    "access_expired": { "text": "401", "checked": ["S"] },
    "logout": { "text": "POST /auth/logout", "checked": ["K"] },
    "sessions": { "text": "none", "checked": ["K"] },
    "websocket": { "text": "n/a", "checked": ["K"] },
    "routes": { "text": "/auth/login, /auth/refresh, /auth/logout and POST /auth/me are those of the library's quick start; the base URL carries /api", "checked": ["K"] },
    "elsewhere": { "text": "Not expressed: new tokens in the Authorization field of any reply, with the middleware that refreshes on every request", "checked": ["S"] },
    "unhandled": { "text": "where the app does not handle the library's exceptions a refused token is 500, which ends no session", "checked": ["K"] },
    "grace": { "text": "the grace period of the block list is 0 by default, so none is assumed", "checked": ["K"] }
  }
}
"""##,
    ]

    static let schema = ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "contract.schema.json",
  "title": "Contract",
  "description": "How a backend hands out tokens and what its answers mean, for Freshet. The file holds no secret.",
  "type": "object",
  "additionalProperties": false,
  "required": ["contract", "name", "reply", "rotation"],
  "properties": {
    "$schema": { "description": "Where this schema is, so that an editor finds it.", "type": "string" },
    "contract": { "description": "The version of the format.", "const": 1 },
    "name": {
      "description": "The contract's name: a-z, 0-9 and '-'.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9-]*$"
    },
    "title": { "description": "The backend's name for people.", "$ref": "#/$defs/text" },
    "variables": {
      "description": "Public values that the app gives at run time, by the names that templates use.",
      "type": "object",
      "propertyNames": {
        "pattern": "^[A-Za-z0-9_]+$",
        "not": {
          "enum": [
            "refresh_token", "access_token", "intent", "email", "username", "password", "code", "attempt", "device",
            "identity_token", "nonce", "id"
          ]
        }
      },
      "additionalProperties": { "$ref": "#/$defs/variable" }
    },
    "secrets": {
      "description": "Secrets that are given at run time, by the names that templates use.",
      "type": "object",
      "propertyNames": {
        "pattern": "^[A-Za-z0-9_]+$",
        "not": {
          "enum": [
            "refresh_token", "access_token", "intent", "email", "username", "password", "code", "attempt", "device",
            "identity_token", "nonce", "id"
          ]
        }
      },
      "additionalProperties": { "$ref": "#/$defs/secret" }
    },
    "endpoints": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "login.password": { "description": "Signs in with an address and a password.", "$ref": "#/$defs/endpoint" },
        "login.signup": { "description": "Makes an account and signs in to it.", "$ref": "#/$defs/endpoint" },
        "login.code": { "description": "Asks for a code by e-mail.", "$ref": "#/$defs/endpoint" },
        "login.code.verify": { "description": "Signs in with that code.", "$ref": "#/$defs/endpoint" },
        "login.apple": { "description": "Signs in with what Sign in with Apple gave.", "$ref": "#/$defs/endpoint" },
        "refresh": { "description": "Brings a new access token.", "$ref": "#/$defs/endpoint" },
        "confirm": {
          "description": "Says that a new refresh token is stored (PROTOCOL.md).",
          "$ref": "#/$defs/endpoint"
        },
        "report": {
          "description": "Says that a refresh token was superseded by nobody known (PROTOCOL.md).",
          "$ref": "#/$defs/endpoint"
        },
        "logout": { "description": "Ends the session.", "$ref": "#/$defs/endpoint" },
        "logoutAll": { "description": "Ends all of the user's sessions.", "$ref": "#/$defs/endpoint" },
        "sessions.list": { "description": "Lists the user's sessions.", "$ref": "#/$defs/endpoint" },
        "sessions.revoke": {
          "description": "Ends one of the user's sessions, by '$id'.",
          "$ref": "#/$defs/endpoint"
        },
        "me": { "description": "Says who is signed in.", "$ref": "#/$defs/endpoint" }
      },
      "patternProperties": {
        "^login\\.[A-Za-z0-9._-]+$": {
          "description": "A sign-in of the backend's own kind.",
          "$ref": "#/$defs/endpoint"
        }
      },
      "description": "The calls that the backend knows. Further names begin with 'login.'."
    },
    "reply": { "$ref": "#/$defs/reply" },
    "rotation": {
      "description": "Whether refreshing brings a new refresh token.",
      "oneOf": [
        { "const": "always", "description": "Every refresh does." },
        { "const": "optional", "description": "Some do: one that comes is kept, otherwise the old one stays." },
        { "const": "never", "description": "None does." },
        { "const": "sliding", "description": "There is no refresh token; the access token renews itself." },
        { "const": "none", "description": "There is no refresh at all." },
        { "const": "confirmed", "description": "Freshet's own protocol (PROTOCOL.md)." }
      ]
    },
    "reuseGrace": {
      "description": "For how long the backend still takes a refresh token that was used.",
      "$ref": "#/$defs/seconds"
    },
    "attach": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "header": {
          "description": "The header that shows the access token; Authorization if it is not named.",
          "$ref": "#/$defs/headerName"
        },
        "scheme": {
          "description": "The word before the token; Bearer if it is not named, and empty for none.",
          "$ref": "#/$defs/scheme"
        },
        "headers": {
          "description": "Further headers that every request of the app carries.",
          "$ref": "#/$defs/headers"
        },
        "hosts": {
          "description": "Further hosts that may see the access token: 'api.example.com', with a port or a scheme if need be.",
          "type": "array",
          "items": { "$ref": "#/$defs/text" }
        }
      },
      "description": "How requests of the app show their access token."
    },
    "classify": {
      "description": "What answers mean: the first rule that holds wins, then the rules that hold for every backend.",
      "type": "array",
      "items": { "$ref": "#/$defs/rule" }
    },
    "errors": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "code": { "description": "Where the code is, from the answer's root.", "$ref": "#/$defs/selectors" },
        "message": {
          "description": "Where the text for people is, from the answer's root.",
          "$ref": "#/$defs/selectors"
        }
      },
      "description": "Where a refused sign-in explains itself."
    },
    "policy": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "ahead": {
          "description": "How long before its end a token is refreshed at most; a fifth of its lifetime is the limit.",
          "$ref": "#/$defs/seconds"
        },
        "minimumInterval": {
          "description": "How young a token must be for a further refresh to be pointless.",
          "$ref": "#/$defs/seconds"
        }
      },
      "description": "How eagerly a token is refreshed."
    },
    "replay": {
      "type": "object",
      "additionalProperties": false,
      "required": ["methods"],
      "properties": {
        "methods": {
          "description": "The methods of requests that may be sent again after a refresh; all if none are named.",
          "type": "array",
          "items": { "$ref": "#/$defs/method" }
        }
      },
      "description": "Which requests may be sent again after a refresh."
    },
    "socket": { "$ref": "#/$defs/socket" },
    "storage": { "$ref": "#/$defs/storage" },
    "server": { "$ref": "#/$defs/server" },
    "facts": {
      "description": "What is known of the backend and how; it decides nothing.",
      "type": "object",
      "additionalProperties": { "$ref": "#/$defs/fact" }
    }
  },
  "allOf": [
    {
      "if": { "properties": { "rotation": { "const": "none" } } },
      "then": { "properties": { "endpoints": { "not": { "required": ["refresh"] } } } },
      "else": { "required": ["endpoints"], "properties": { "endpoints": { "required": ["refresh"] } } }
    },
    {
      "if": { "properties": { "rotation": { "enum": ["always", "confirmed"] } } },
      "then": { "properties": { "reply": { "required": ["refresh"] } } }
    },
    {
      "if": { "properties": { "rotation": { "const": "confirmed" } } },
      "then": { "properties": { "endpoints": { "required": ["refresh", "confirm", "report", "logout"] } } }
    }
  ],
  "$defs": {
    "text": { "description": "A text that is not empty.", "type": "string", "minLength": 1 },
    "seconds": {
      "description": "A number of seconds, at most ten years.",
      "type": "number",
      "minimum": 0,
      "maximum": 315360000
    },
    "headerName": {
      "description": "The name of a header.",
      "type": "string",
      "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
    },
    "method": { "description": "An HTTP method, in capitals.", "type": "string", "pattern": "^[A-Z]+$" },
    "template": {
      "description": "Text with places for values: '$name' or '${name}'; '$$' is a dollar sign. A text that is exactly one place takes the value as it is, and vanishes if there is none.",
      "type": "string",
      "pattern": "^([^$]|\\$\\$|\\$[A-Za-z0-9_]+|\\$\\{[A-Za-z0-9_]+\\})*$"
    },
    "pathTemplate": {
      "description": "A template of a path: it begins with '/' and has no query.",
      "type": "string",
      "allOf": [{ "$ref": "#/$defs/template" }, { "pattern": "^/[^?#]*$" }]
    },
    "templates": {
      "description": "Names and the templates of their values.",
      "type": "object",
      "propertyNames": { "minLength": 1 },
      "additionalProperties": { "$ref": "#/$defs/template" }
    },
    "headers": {
      "description": "Names of headers or cookies and the templates of their values.",
      "type": "object",
      "propertyNames": { "$ref": "#/$defs/headerName" },
      "additionalProperties": { "allOf": [{ "$ref": "#/$defs/template" }, { "$ref": "#/$defs/headerText" }] }
    },
    "headerText": {
      "description": "A text without line breaks and other control characters.",
      "type": "string",
      "not": { "pattern": "[\\u0000-\\u001f\\u007f]" }
    },
    "scheme": {
      "description": "One word, or the empty text for none.",
      "type": "string",
      "pattern": "^([!#$%&'*+.^_`|~0-9A-Za-z-]+)?$"
    },
    "jsonTemplate": {
      "description": "Any JSON whose strings are templates.",
      "if": { "type": "string" },
      "then": { "$ref": "#/$defs/template" },
      "else": {
        "if": { "type": "array" },
        "then": { "items": { "$ref": "#/$defs/jsonTemplate" } },
        "else": {
          "if": { "type": "object" },
          "then": { "additionalProperties": { "$ref": "#/$defs/jsonTemplate" } }
        }
      }
    },
    "selector": {
      "description": "A place in an answer: '/pointer' (RFC 6901), 'header:Name' or 'cookie:Name'.",
      "type": "string",
      "pattern": "^(/([^~]|~[01])*|header:[!#$%&'*+.^_`|~0-9A-Za-z-]+|cookie:[!#$%&'*+.^_`|~0-9A-Za-z-]+)$"
    },
    "selectors": {
      "description": "One place, or several of which the first that holds something counts.",
      "anyOf": [
        { "$ref": "#/$defs/selector" },
        { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/selector" } }
      ]
    },
    "pointer": {
      "description": "A JSON pointer (RFC 6901); the empty text is the whole body.",
      "type": "string",
      "pattern": "^(/([^~]|~[01])*)?$"
    },
    "scalar": { "description": "A text, number or truth value.", "type": ["string", "number", "boolean", "null"] },
    "variable": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "about": { "description": "What the value is and where to find it.", "type": "string" },
        "default": { "description": "The value if the app gives none.", "type": "string" }
      },
      "description": "A public value that the app gives at run time."
    },
    "secret": {
      "type": "object",
      "additionalProperties": false,
      "properties": { "about": { "description": "What the secret is and who may hold it.", "type": "string" } },
      "description": "A secret's name; the secret itself never stands in the file."
    },
    "condition": {
      "type": "object",
      "additionalProperties": false,
      "required": ["at"],
      "properties": {
        "at": { "description": "Where to look, from the answer's root.", "$ref": "#/$defs/selector" },
        "equals": {
          "description": "The value must be this one; numbers and texts that read the same are equal.",
          "$ref": "#/$defs/scalar"
        },
        "oneOf": {
          "description": "The value must be one of these.",
          "type": "array",
          "minItems": 1,
          "items": { "$ref": "#/$defs/scalar" }
        },
        "contains": { "description": "The text must contain this, in any casing.", "$ref": "#/$defs/text" },
        "exists": {
          "description": "Whether there must be a value or must be none; null is none.",
          "type": "boolean"
        }
      },
      "description": "A test of an answer.",
      "oneOf": [
        { "required": ["equals"] },
        { "required": ["oneOf"] },
        { "required": ["contains"] },
        { "required": ["exists"] }
      ]
    },
    "conditions": {
      "description": "One test, or several that must all hold.",
      "anyOf": [
        { "$ref": "#/$defs/condition" },
        { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/condition" } }
      ]
    },
    "endpoint": {
      "type": "object",
      "additionalProperties": false,
      "required": ["path"],
      "properties": {
        "method": { "description": "The HTTP method; POST if it is not named.", "$ref": "#/$defs/method" },
        "path": {
          "description": "The path below the base URL. A value stays one segment of it.",
          "$ref": "#/$defs/pathTemplate"
        },
        "query": { "description": "Items of the query.", "$ref": "#/$defs/templates" },
        "headers": {
          "description": "Headers of this call, beside Accept and Content-Type.",
          "$ref": "#/$defs/headers"
        },
        "cookies": { "description": "Cookies of this call.", "$ref": "#/$defs/headers" },
        "basic": {
          "description": "User and password of HTTP's Basic scheme.",
          "type": "array",
          "minItems": 2,
          "maxItems": 2,
          "items": { "$ref": "#/$defs/template" }
        },
        "json": {
          "description": "The body as JSON; members whose value there is none of vanish.",
          "$ref": "#/$defs/jsonTemplate"
        },
        "form": {
          "description": "The body as form fields; fields whose value there is none of vanish.",
          "$ref": "#/$defs/templates"
        },
        "contentType": {
          "description": "The body's content type, where it is not the usual one.",
          "allOf": [{ "$ref": "#/$defs/text" }, { "$ref": "#/$defs/headerText" }]
        },
        "attach": {
          "description": "Whether the call carries the access token the way requests of the app do.",
          "type": "boolean"
        },
        "timeout": {
          "description": "How many seconds the call may take.",
          "type": "number",
          "minimum": 1,
          "maximum": 315360000
        }
      },
      "description": "A call to the backend.",
      "allOf": [
        { "not": { "required": ["json", "form"] } },
        {
          "if": { "properties": { "method": { "enum": ["GET", "HEAD"] } }, "required": ["method"] },
          "then": { "not": { "anyOf": [{ "required": ["json"] }, { "required": ["form"] }] } }
        }
      ]
    },
    "expirySource": {
      "description": "A way to learn how long a token lives.",
      "type": "object",
      "oneOf": [
        {
          "type": "object",
          "additionalProperties": false,
          "required": ["in"],
          "properties": {
            "in": { "description": "Where the lifetime stands.", "$ref": "#/$defs/selector" },
            "unit": { "description": "The lifetime's unit; seconds if it is not named.", "enum": ["s", "ms"] },
            "since": {
              "description": "Where the instant stands, in seconds since 1970, from which the lifetime counts; the answer's arrival if it is not named.",
              "$ref": "#/$defs/selector"
            }
          }
        },
        {
          "type": "object",
          "additionalProperties": false,
          "required": ["at", "unit"],
          "properties": {
            "at": { "description": "Where the instant of the end stands.", "$ref": "#/$defs/selector" },
            "unit": {
              "description": "How the instant is written; 's' and 'ms' count since 1970.",
              "enum": ["s", "ms", "iso8601", "http-date"]
            }
          }
        },
        {
          "type": "object",
          "additionalProperties": false,
          "required": ["jwt"],
          "properties": { "jwt": { "description": "The token's own claim.", "const": "exp" } }
        },
        {
          "type": "object",
          "additionalProperties": false,
          "required": ["assume"],
          "properties": {
            "assume": {
              "description": "So many seconds, when nothing else says anything.",
              "$ref": "#/$defs/seconds"
            }
          }
        }
      ]
    },
    "expirySources": {
      "description": "In order of trust: the first that answers counts.",
      "type": "array",
      "items": { "$ref": "#/$defs/expirySource" }
    },
    "reply": {
      "type": "object",
      "additionalProperties": false,
      "required": ["access"],
      "properties": {
        "encoding": {
          "description": "How the body is written; 'auto' goes by its content type, and 'json' is the default.",
          "enum": ["json", "form", "auto"]
        },
        "success": { "description": "What a 2xx answer must show to be a success.", "$ref": "#/$defs/conditions" },
        "envelope": {
          "description": "Where the rest is found: the first pointer at which there is something.",
          "anyOf": [
            { "$ref": "#/$defs/pointer" },
            { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/pointer" } }
          ]
        },
        "anyCasing": {
          "description": "Whether access_token, accessToken and AccessToken are the same name.",
          "type": "boolean"
        },
        "access": { "description": "Where the access token is.", "$ref": "#/$defs/selectors" },
        "refresh": { "description": "Where the refresh token is.", "$ref": "#/$defs/selectors" },
        "session": { "description": "Where the session's identifier is.", "$ref": "#/$defs/selectors" },
        "tokenType": {
          "description": "Where the token's type is; it must be the scheme of 'attach'.",
          "$ref": "#/$defs/selectors"
        },
        "user": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "id": { "description": "Where the user's identifier is.", "$ref": "#/$defs/selectors" },
            "email": { "description": "Where the user's address is.", "$ref": "#/$defs/selectors" }
          },
          "description": "Where the answer says whose tokens these are."
        },
        "attempt": {
          "description": "Where the answer to login.code names the attempt that the code belongs to.",
          "$ref": "#/$defs/selectors"
        },
        "expiry": {
          "description": "When the access token ends. A JWT's 'exp' counts too if it is earlier.",
          "$ref": "#/$defs/expirySources"
        },
        "expiryBounds": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "min": { "description": "No shorter lifetime is believed.", "$ref": "#/$defs/seconds" },
            "max": { "description": "No longer lifetime is believed.", "$ref": "#/$defs/seconds" }
          },
          "description": "The lifetimes that are believed."
        },
        "refreshExpiry": {
          "type": "object",
          "additionalProperties": false,
          "required": ["sources", "extends"],
          "properties": {
            "sources": { "description": "When the session ends.", "$ref": "#/$defs/expirySources" },
            "extends": { "description": "Whether a refresh moves the session's end.", "type": "boolean" }
          },
          "description": "When the session ends, unless it is refreshed."
        }
      },
      "description": "Where answers with tokens say what; pointers begin at the envelope."
    },
    "status": {
      "description": "A status, a class like '4xx' or a range like '400-403'.",
      "anyOf": [
        { "type": "integer", "minimum": 100, "maximum": 599 },
        { "type": "string", "pattern": "^([1-5]xx|[1-5][0-9]{2}-[1-5][0-9]{2})$" }
      ]
    },
    "closeCode": {
      "description": "A close code of a socket, or a range like '4000-4999'.",
      "anyOf": [
        { "type": "integer", "minimum": 1000, "maximum": 4999 },
        { "type": "string", "pattern": "^[1-4][0-9]{3}-[1-4][0-9]{3}$" }
      ]
    },
    "endingStatus": {
      "description": "A status that may end a session: never 429 and never 5xx.",
      "anyOf": [
        { "type": "integer", "not": { "anyOf": [{ "const": 429 }, { "minimum": 500 }] } },
        {
          "type": "string",
          "not": {
            "anyOf": [
              { "pattern": "^[45]xx$" },
              { "pattern": "-5[0-9]{2}$" },
              { "pattern": "^([1-3][0-9]{2}|4[0-2][0-9])-(429|4[3-9][0-9])$" }
            ]
          }
        }
      ]
    },
    "channel": {
      "description": "A conversation with the backend: requests of the app are 'api'.",
      "enum": ["api", "login", "refresh", "logout", "confirm", "report", "socket"]
    },
    "rule": {
      "type": "object",
      "additionalProperties": false,
      "required": ["on", "outcome"],
      "properties": {
        "on": {
          "description": "To which conversations the rule applies.",
          "anyOf": [
            { "$ref": "#/$defs/channel" },
            { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/channel" } }
          ]
        },
        "status": {
          "description": "The statuses that the rule is for; any if none is named.",
          "anyOf": [
            { "$ref": "#/$defs/status" },
            { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/status" } }
          ]
        },
        "close": {
          "description": "The close codes of a socket that the rule is for.",
          "anyOf": [
            { "$ref": "#/$defs/closeCode" },
            { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/closeCode" } }
          ]
        },
        "if": { "description": "What the answer must show besides.", "$ref": "#/$defs/conditions" },
        "outcome": {
          "description": "What such an answer means.",
          "oneOf": [
            { "const": "delivered", "description": "The request was answered." },
            {
              "const": "accessExpired",
              "description": "The access token is no longer taken: refresh, and send again once."
            },
            {
              "const": "sessionEnded",
              "description": "The session is over: the user is signed out. Keep such rules narrow."
            },
            {
              "const": "superseded",
              "description": "A newer refresh token was proved to be known; the session goes on."
            },
            { "const": "stepUp", "description": "The user must take a further step; a refresh does not help." },
            { "const": "forbidden", "description": "The user may not do this; a refresh does not help." },
            { "const": "throttled", "description": "Too many requests: wait." },
            { "const": "transient", "description": "A fault that passes: try again later." },
            { "const": "refused", "description": "The sign-in was refused." },
            { "const": "misconfigured", "description": "App or backend are set up wrong; the session is kept." },
            {
              "const": "contractViolation",
              "description": "The backend answered against this contract; the session is kept."
            }
          ]
        },
        "reason": {
          "description": "Why the session is over.",
          "enum": [
            "expired", "revoked", "reused", "disabled", "unknown", "logout", "logout_all", "revoked_by_user",
            "revoked_by_operator", "fork", "reuse", "stale_holder", "idle_timeout", "absolute_timeout",
            "user_disabled"
          ]
        },
        "reasonAt": {
          "description": "Where the answer says why the session is over, from its root.",
          "$ref": "#/$defs/selector"
        },
        "note": { "description": "Why the rule is there.", "type": "string" }
      },
      "description": "What an answer means if it looks like this; the first rule that holds wins.",
      "allOf": [
        { "not": { "required": ["status", "close"] } },
        { "if": { "required": ["close"] }, "then": { "properties": { "on": { "enum": ["socket", ["socket"]] } } } },
        {
          "if": { "properties": { "outcome": { "const": "sessionEnded" } } },
          "then": {
            "anyOf": [{ "required": ["status"] }, { "required": ["close"] }, { "required": ["if"] }],
            "properties": {
              "status": {
                "anyOf": [
                  { "$ref": "#/$defs/endingStatus" },
                  { "type": "array", "items": { "$ref": "#/$defs/endingStatus" } }
                ]
              }
            }
          },
          "else": { "not": { "anyOf": [{ "required": ["reason"] }, { "required": ["reasonAt"] }] } }
        },
        {
          "if": { "properties": { "outcome": { "const": "superseded" } } },
          "then": {
            "properties": {
              "on": {
                "anyOf": [
                  { "enum": ["refresh", "report"] },
                  { "type": "array", "items": { "enum": ["refresh", "report"] } }
                ]
              }
            }
          }
        }
      ]
    },
    "socket": {
      "type": "object",
      "additionalProperties": false,
      "required": ["path", "token"],
      "properties": {
        "path": { "description": "The socket's path below the base URL.", "$ref": "#/$defs/pathTemplate" },
        "token": {
          "description": "How the socket shows its access token.",
          "type": "object",
          "oneOf": [
            {
              "type": "object",
              "additionalProperties": false,
              "required": ["query"],
              "properties": { "query": { "description": "The query item that holds it.", "$ref": "#/$defs/text" } }
            },
            {
              "type": "object",
              "additionalProperties": false,
              "required": ["header"],
              "properties": {
                "header": { "description": "The header that holds it.", "$ref": "#/$defs/headerName" },
                "scheme": {
                  "description": "The word before the token; Bearer if it is not named.",
                  "$ref": "#/$defs/scheme"
                }
              }
            },
            {
              "type": "object",
              "additionalProperties": false,
              "required": ["subprotocol"],
              "properties": {
                "subprotocol": { "description": "The subprotocol that holds it.", "$ref": "#/$defs/template" }
              }
            },
            {
              "type": "object",
              "additionalProperties": false,
              "required": ["message"],
              "properties": {
                "message": { "description": "The first message, which holds it.", "$ref": "#/$defs/jsonTemplate" }
              }
            }
          ]
        },
        "renewal": {
          "description": "What is done with an open socket when a new access token comes; 'reconnect' is the default.",
          "anyOf": [
            { "const": "reconnect" },
            {
              "type": "object",
              "additionalProperties": false,
              "required": ["message"],
              "properties": {
                "message": { "description": "The message that tells the backend.", "$ref": "#/$defs/jsonTemplate" }
              }
            }
          ]
        }
      },
      "description": "How a socket is opened and kept with a fresh token."
    },
    "import": {
      "type": "object",
      "additionalProperties": false,
      "required": ["access"],
      "properties": {
        "access": { "description": "The item that holds the access token.", "$ref": "#/$defs/text" },
        "refresh": { "description": "The item that holds the refresh token.", "$ref": "#/$defs/text" },
        "expiresAt": {
          "type": "object",
          "additionalProperties": false,
          "required": ["item", "unit"],
          "properties": {
            "item": { "description": "The item that says when the access token ends.", "$ref": "#/$defs/text" },
            "unit": { "description": "How that is written.", "enum": ["iso8601", "s", "ms"] }
          },
          "description": "Where the end of the access token is stored."
        },
        "synchronizable": {
          "description": "Whether those items travel between the user's devices.",
          "type": "boolean"
        }
      },
      "description": "Items in which an older version of the app kept its tokens."
    },
    "storage": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "synchronizable": {
          "description": "Whether the session may travel between the user's devices; a refresh token that rotates must not.",
          "type": "boolean"
        },
        "imports": {
          "description": "Older items, in order: the first that is there is taken over.",
          "type": "array",
          "items": { "$ref": "#/$defs/import" }
        }
      },
      "description": "How tokens are stored, and were."
    },
    "answerTemplate": {
      "description": "Text with places for values of an answer: access_token, refresh_token, expires_in, expires_at, refresh_expires_in, session_id, user_id, user_number, email, now, message, attempt.",
      "type": "string",
      "pattern": "^([^$]|\\$\\$|\\$(access_token|refresh_token|expires_in|expires_at|refresh_expires_in|session_id|user_id|user_number|email|now|message|attempt)(?![A-Za-z0-9_])|\\$\\{(access_token|refresh_token|expires_in|expires_at|refresh_expires_in|session_id|user_id|user_number|email|now|message|attempt)\\})*$"
    },
    "answerJSON": {
      "description": "Any JSON whose strings are templates of an answer.",
      "if": { "type": "string" },
      "then": { "$ref": "#/$defs/answerTemplate" },
      "else": {
        "if": { "type": "array" },
        "then": { "items": { "$ref": "#/$defs/answerJSON" } },
        "else": { "if": { "type": "object" }, "then": { "additionalProperties": { "$ref": "#/$defs/answerJSON" } } }
      }
    },
    "answer": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "status": {
          "description": "The status; 200 if it is not named.",
          "type": "integer",
          "minimum": 200,
          "maximum": 599
        },
        "json": {
          "description": "The body; members whose value there is none of vanish.",
          "$ref": "#/$defs/answerJSON"
        },
        "headers": {
          "description": "Headers beside those of every answer.",
          "type": "object",
          "propertyNames": { "$ref": "#/$defs/headerName" },
          "additionalProperties": {
            "allOf": [{ "$ref": "#/$defs/answerTemplate" }, { "$ref": "#/$defs/headerText" }]
          }
        }
      },
      "description": "An answer with places for values."
    },
    "server": {
      "type": "object",
      "additionalProperties": false,
      "required": ["rotation"],
      "properties": {
        "rotation": { "description": "Whether refresh tokens rotate or stay the same.", "enum": ["plain", "static"] },
        "lifetimes": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "access": { "description": "How long an access token lives.", "$ref": "#/$defs/seconds" },
            "idle": { "description": "How long an unused session lives.", "$ref": "#/$defs/seconds" },
            "absolute": { "description": "How long a session lives at most.", "$ref": "#/$defs/seconds" }
          },
          "description": "How long tokens and sessions live."
        },
        "replies": {
          "description": "What is answered to calls that succeed; 'login' stands for all sign-ins.",
          "type": "object",
          "propertyNames": {
            "anyOf": [
              {
                "enum": [
                  "login", "refresh", "confirm", "report", "logout", "logoutAll", "sessions.list", "sessions.revoke",
                  "me"
                ]
              },
              { "pattern": "^login\\.[A-Za-z0-9._-]+$" }
            ]
          },
          "additionalProperties": { "$ref": "#/$defs/answer" },
          "not": { "required": ["login", "login.password"] }
        },
        "resources": {
          "description": "Example resources that need an access token.",
          "type": "array",
          "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["path", "reply"],
            "properties": {
              "method": { "description": "The HTTP method; GET if it is not named.", "$ref": "#/$defs/method" },
              "path": { "description": "The path.", "type": "string", "pattern": "^/" },
              "reply": { "description": "What is answered.", "$ref": "#/$defs/answer" }
            },
            "description": "A request that needs an access token."
          }
        },
        "errors": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "accessExpired": {
              "description": "The access token is missing, wrong or over.",
              "$ref": "#/$defs/answer"
            },
            "sessionEnded": {
              "description": "The refresh token is wrong, or its session is over.",
              "$ref": "#/$defs/answer"
            },
            "superseded": {
              "description": "A late duplicate of a refresh token that was used; the session goes on.",
              "$ref": "#/$defs/answer"
            },
            "refused": { "description": "Wrong credentials.", "$ref": "#/$defs/answer" },
            "invalidRequest": { "description": "The request cannot be read.", "$ref": "#/$defs/answer" },
            "forbidden": { "description": "The user may not do this.", "$ref": "#/$defs/answer" },
            "notFound": { "description": "There is no such thing.", "$ref": "#/$defs/answer" },
            "throttled": { "description": "Too many requests.", "$ref": "#/$defs/answer" }
          },
          "description": "What is answered to calls that fail."
        }
      },
      "description": "What Freshet's own server needs to know to be this backend."
    },
    "fact": {
      "type": "object",
      "additionalProperties": false,
      "required": ["text", "checked"],
      "properties": {
        "text": { "description": "What is known.", "type": "string" },
        "checked": {
          "description": "How it is known.",
          "type": "array",
          "minItems": 1,
          "items": {
            "oneOf": [
              { "const": "R", "description": "It was run against the real software." },
              {
                "const": "S",
                "description": "It was read in the software's source, or in the app's own description."
              },
              { "const": "D", "description": "It was read in the vendor's documentation." },
              { "const": "I", "description": "A third party says it." },
              { "const": "K", "description": "It is believed and was not verified." }
            ]
          }
        }
      },
      "description": "Something that is known of the backend, and how."
    }
  }
}
"""##
}
