// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A contract of a usual size, and every line that is said of it.
enum SmallContract {
    static let text = #"""
        {
          "contract": 1, "name": "shop", "title": "The Shop",
          "variables": { "client_id": { "about": "as registered", "default": "app" } },
          "endpoints": {
            "login.password": { "path": "/login", "json": { "email": "$email", "password": "$password" } },
            "refresh": { "path": "/token", "form": { "client_id": "$client_id", "refresh_token": "$refresh_token" } },
            "logout": { "path": "/logout", "attach": true, "timeout": 5 }
          },
          "reply": {
            "access": "/access_token", "refresh": "/refresh_token",
            "expiry": [{ "in": "/expires_in" }, { "assume": 900 }],
            "refreshExpiry": { "sources": [{ "assume": 604800 }], "extends": false }
          },
          "rotation": "always",
          "classify": [
            { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "invalid_grant" },
              "outcome": "sessionEnded", "reason": "revoked", "note": "RFC 6749 section 5.2" },
            { "on": "api", "status": 401, "outcome": "accessExpired" }
          ],
          "errors": { "message": "/error_description" },
          "policy": { "refreshBefore": 300 },
          "replay": { "methods": ["PUT", "GET"] },
          "facts": {
            "refresh": { "text": "as RFC 6749 says", "checked": ["D", "R"] },
            "expiry": { "text": "a quarter of an hour", "checked": ["K"] }
          }
        }
        """#

    static let explanation = """
        The Shop (shop)

        How you sign in
          With a password: POST /login with the e-mail address and the password in its JSON body.
          The response is JSON; the access token is at /access_token, the refresh token at /refresh_token.
          The error message is at /error_description.

        Values from the app
          'client_id', by default 'app': as registered

        Where tokens are sent
          A request of the app carries Authorization: Bearer <access token>.
          Only the host of the base URL sees it.
          A refresh is POST /token with 'client_id' and the refresh token in its form.

        When an access token counts as expired
          /expires_in gives its lifetime in seconds, counted from the request.
          If the response does not contain it: 15 minutes.
          If the token is a JWT, its 'exp' counts as well: the earlier of the two.
          If the response does not contain it, the session ends after 7 days.
          No refresh moves the session's end.

        When it is refreshed
          5 minutes before its expiry at most, and never before half of its lifetime has passed.
          Once, when a response says that it has expired; then the request is sent again if it is a GET or PUT.
          Every refresh brings a new refresh token, and the old one is used up.

        Meaning of responses to a sign-in
          2xx                             the requested result              stores the session
          429                             too many requests                 tells the app to try later
          408, 425 or 5xx                 nothing can be concluded          tells the app to try later
          400, 401, 403, 404, 409 or 422  what the user entered is refused  shows the user why
            (if its body can be read; otherwise nothing can be concluded)
          4xx                             base URL or contract is wrong     tells the app of a fault for its developer
            (if its body can be read; otherwise nothing can be concluded)
          anything else                   nothing can be concluded          tells the app to try later

        Meaning of responses to a refresh
          400, /error is "invalid_grant"  the session is over (revoked)  signs the user out, and says why
            (RFC 6749 section 5.2)
          Otherwise, as with every backend:
          2xx                             the requested result           stores the new tokens, then uses them
          429                             too many requests              keeps the session, and tries again later
          408, 425 or 5xx                 nothing can be concluded       keeps the session, and tries again later
          409                             nothing can be concluded       keeps the session, and tries again later
          4xx                             base URL or contract is wrong  keeps the session, and tells the app of a \
        fault
            (if its body can be read; otherwise nothing can be concluded)
          anything else                   nothing can be concluded       keeps the session, and tries again later

        Meaning of responses to a request of the app
          401              the access token has expired        refreshes once, and sends the request again
          Otherwise, as with every backend:
          401 or 403, the header WWW-Authenticate contains "insufficient_user_authentication"
                           the user has to authenticate again  passes it to the app; the session stays
          403              the user lacks the permission       passes it to the app; the session stays
          429              too many requests                   passes it to the app; the session stays
          408, 425 or 5xx  nothing can be concluded            passes it to the app; the session stays
          anything else    the requested result                passes it to the app; the session stays

        Meaning of responses to a sign-out
          2xx              the requested result           is done
          429              too many requests              retries the sign-out later
          408, 425 or 5xx  nothing can be concluded       retries the sign-out later
          409              nothing can be concluded       retries the sign-out later
          4xx              base URL or contract is wrong  is done: a retry would change nothing
            (if its body can be read; otherwise nothing can be concluded)
          anything else    nothing can be concluded       retries the sign-out later

        Sign-out
          The client deletes its tokens at once.
          Then it tells the backend, and retries until that succeeds: POST /logout with the access token in the \
        header Authorization; the timeout is 5 seconds.

        How this is known
          refresh: as RFC 6749 says [documentation, run]
          NOT VERIFIED expiry: a quarter of an hour
          Not verified: 1 of 2.
        """
}
