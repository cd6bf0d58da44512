// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// The libraries' responses to any client; the presets depend on them.
@Suite(
    .enabled(if: RealBackend.areWanted, "make test-backends"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct `Library responses` {
    private static let short = ["--access-seconds", "3"]
    /// Refresh tokens that are over when they are handed out: nobody has to wait for their end.
    private static let over = ["--refresh-seconds", "-1"]

    @Test func `SimpleJWT reports the same error code for invalid access tokens and refresh tokens`() async throws {
        let backend = try await RealBackend.shared(.simpleJWT, Self.short)
        #expect(try await backend.login(password: "wrong").status == 401)
        let login = try await backend.login()
        #expect(login.names == ["access", "refresh"])
        let tokens = try backend.tokens(in: login)
        #expect((2...4).contains(try backend.claims(of: tokens.access).lifetime))
        let granted = try await backend.refresh(tokens.refresh)
        #expect(granted.names == ["access"])

        let expired = try await backend.refusal(of: tokens.access)
        #expect(expired.status == 401)
        #expect(expired["code"] == "token_not_valid")
        #expect(expired.names == ["code", "detail", "messages"])
        #expect(expired.headers["www-authenticate"] == #"Bearer realm="api""#)
        let garbage = try await backend.refresh("garbage")
        #expect((garbage.status, garbage["code"]) == (401, "token_not_valid"))
        #expect(garbage["detail"] == "Token is invalid")
        let wrongKind = try await backend.refresh(tokens.access)
        #expect((wrongKind.status, wrongKind["code"]) == (401, "token_not_valid"))
        let missing = try await backend.send("POST", "/api/token/refresh/", json: [:])
        #expect((missing.status, missing.names) == (400, ["refresh"]))
        // The slash at the end counts: a redirect would drop the body.
        let noSlash = try await backend.send(
            "POST",
            "/api/token/refresh",
            json: ["refresh": tokens.refresh]
        )
        #expect((noSlash.status, noSlash.headers["location"]) == (301, "/api/token/refresh/"))
        #expect(try await backend.revoke(tokens).status == 404)
        // It never rotates: the first refresh token is as good as ever.
        #expect(try await backend.refresh(tokens.refresh).status == 200)
    }

    @Test func `SimpleJWT with rotation and blacklist names the blacklist when it refuses a used token`() async throws {
        let backend = try await RealBackend.shared(.rotatingSimpleJWT)
        let first = try await backend.tokens()
        let granted = try await backend.refresh(first.refresh)
        #expect(granted.names == ["access", "refresh"])
        let second = try backend.tokens(in: granted)
        let reuse = try await backend.refresh(first.refresh)
        #expect((reuse.status, reuse["code"]) == (401, "token_not_valid"))
        #expect(reuse["detail"] == "Token is blacklisted")
        #expect(try await backend.refresh(second.refresh).status == 200)

        let third = try await backend.tokens()
        let revocation = try await backend.revoke(third)
        #expect((revocation.status, revocation.text) == (200, "{}"))
        #expect(try await backend.refresh(third.refresh)["detail"] == "Token is blacklisted")
        #expect(try await backend.revoke(third).status == 401)
        let late = try await RealBackend.shared(.rotatingSimpleJWT, Self.over)
        let expired = try await late.refresh(try await late.tokens().refresh)
        #expect(
            (expired.status, expired["code"], expired["detail"]) == (
                401, "token_not_valid", "Token is expired"
            )
        )
    }

    @Test func `Django OAuth Toolkit always rotates refresh tokens, and reuse revokes the successor`() async throws {
        let backend = try await RealBackend.shared(.djangoOAuthToolkit, Self.short)
        let login = try await backend.login()
        #expect(
            login.names == ["access_token", "expires_in", "refresh_token", "scope", "token_type"]
        )
        #expect(login.number("expires_in") == 3)
        #expect(login.headers["cache-control"] == "no-store")
        let wrong = try await backend.login(password: "wrong")
        #expect((wrong.status, wrong["error"]) == (400, "invalid_grant"))
        let first = try backend.tokens(in: login)
        let expired = try await backend.refusal(of: first.access)
        #expect(expired.status == 401)
        #expect(expired.headers["www-authenticate"]?.contains(#"error="invalid_token""#) == true)

        let second = try backend.tokens(in: try await backend.refresh(first.refresh))
        #expect(second.refresh != first.refresh)
        #expect(try await backend.call(second.access).status == 200)
        let reuse = try await backend.refresh(first.refresh)
        #expect((reuse.status, reuse.text) == (400, #"{"error": "invalid_grant"}"#))
        #expect(try await backend.refresh(second.refresh).status == 400)
        #expect(try await backend.call(second.access).status == 401)
    }

    @Test func `Django OAuth Toolkit repeats a refresh response in its grace period until the successor is used`()
        async throws
    {
        try await RealBackend.run(.djangoOAuthToolkit, ["--grace-seconds", "60"]) { backend in
            let first = try await backend.tokens()
            let second = try backend.tokens(in: try await backend.refresh(first.refresh))
            let again = try backend.tokens(in: try await backend.refresh(first.refresh))
            #expect((again.refresh, again.access) == (second.refresh, second.access))
            let third = try backend.tokens(in: try await backend.refresh(second.refresh))
            // Two generations back is reuse, grace or not, and voids what came after.
            #expect(try await backend.refresh(first.refresh).status == 400)
            #expect(try await backend.refresh(third.refresh).status == 400)
        }
    }

    @Test func `Django OAuth Toolkit distinguishes an unknown client from an invalid token`() async throws {
        let backend = try await RealBackend.shared(.djangoOAuthToolkit)
        let grant = ["grant_type": "refresh_token", "refresh_token": "garbage"]
        let garbage = try await backend.token(grant)
        #expect((garbage.status, garbage["error"]) == (400, "invalid_grant"))
        let client = try await backend.token(grant, client: "nobody")
        #expect((client.status, client["error"]) == (401, "invalid_client"))
        let missing = try await backend.token(["grant_type": "refresh_token"])
        #expect((missing.status, missing["error"]) == (400, "invalid_request"))
        let json = try await backend.send("POST", "/o/token/", json: grant)
        #expect((json.status, json["error"]) == (400, "unsupported_grant_type"))

        let tokens = try await backend.tokens()
        for _ in 0..<2 {
            let revocation = try await backend.revoke(tokens)
            #expect((revocation.status, revocation.text) == (200, ""))
            #expect(revocation.headers["content-type"]?.hasPrefix("text/html") == true)
        }
        #expect(try await backend.refresh(tokens.refresh).status == 400)
        #expect(try await backend.call(tokens.access).status == 401)
        let refused = try await backend.send("GET", "/plain/me", bearer: tokens.access)
        #expect((refused.status, refused.text) == (403, ""))
    }

    @Test func `Flask-JWT-Extended responds with 401 to expired or revoked tokens, and with 422 to invalid ones`()
        async throws
    {
        let backend = try await RealBackend.shared(.flaskJWTExtended, Self.short)
        let login = try await backend.login()
        #expect(login.names == ["access_token", "refresh_token"])
        let tokens = try backend.tokens(in: login)
        #expect((2...4).contains(try backend.claims(of: tokens.access).lifetime))
        let tampered = String(tokens.access.dropLast(4)) + "AAAA"
        let forged = try await backend.call(tampered)
        #expect((forged.status, forged["msg"]) == (422, "Signature verification failed"))
        let garbage = try await backend.call("garbage")
        #expect((garbage.status, garbage["msg"]) == (422, "Not enough segments"))
        let expired = try await backend.refusal(of: tokens.access)
        #expect((expired.status, expired["msg"]) == (401, "Token has expired"))

        #expect(try await backend.refresh(tokens.refresh).names == ["access_token"])
        #expect(try await backend.refresh(tokens.refresh).status == 200)
        let noToken = try await backend.refresh("garbage")
        #expect((noToken.status, noToken["msg"]) == (422, "Not enough segments"))
        let wrongKind = try await backend.refresh(try await backend.tokens().access)
        #expect((wrongKind.status, wrongKind["msg"]) == (422, "Only refresh tokens are allowed"))
        let missing = try await backend.send("POST", "/refresh")
        #expect((missing.status, missing["msg"]) == (401, "Missing Authorization Header"))
        #expect(try await backend.revoke(tokens).status == 200)
        let revoked = try await backend.refresh(tokens.refresh)
        #expect((revoked.status, revoked["msg"]) == (401, "Token has been revoked"))
        let late = try await RealBackend.shared(.flaskJWTExtended, Self.over)
        let over = try await late.refresh(try await late.tokens().refresh)
        #expect((over.status, over["msg"]) == (401, "Token has expired"))
    }

    @Test func `FastAPI's error detail is a text for a refused token, but not for an invalid request`() async throws {
        let backend = try await RealBackend.shared(.fastAPI, Self.short)
        let login = try await backend.login()
        #expect(login.names == ["access_token", "refresh_token", "token_type"])
        #expect(login["token_type"] == "bearer")
        let json = try await backend.send(
            "POST",
            "/token",
            json: ["username": "ada", "password": "x"]
        )
        #expect((json.status, json.names, json["detail"]) == (422, ["detail"], nil))
        let tokens = try backend.tokens(in: login)
        let expired = try await backend.refusal(of: tokens.access)
        #expect((expired.status, expired.headers["www-authenticate"]) == (401, "Bearer"))
        #expect(expired["detail"] == "Could not validate credentials")
        let missing = try await backend.send("GET", backend.facts.resource)
        #expect((missing.status, missing["detail"]) == (401, "Not authenticated"))

        let second = try backend.tokens(in: try await backend.refresh(tokens.refresh))
        for dead in [tokens.refresh, "garbage", second.access] {
            let reply = try await backend.refresh(dead)
            #expect((reply.status, reply["detail"]) == (401, "Invalid or expired refresh token"))
        }
        let empty = try await backend.send("POST", "/auth/refresh", json: [:])
        #expect((empty.status, empty.names, empty["detail"]) == (422, ["detail"], nil))
        #expect(try await backend.refresh(second.refresh).status == 200)
    }

    @Test func `moto's Cognito has the response formats of the service, with known gaps`() async throws {
        // Alone, for a sign-out there is everybody's.
        try await RealBackend.run(.cognito, Self.short) { backend in
            let wrong = try await backend.login(password: "wrong")
            #expect((wrong.status, wrong["__type"]) == (400, "NotAuthorizedException"))
            let login = try await backend.login()
            #expect(login.names == ["AuthenticationResult"])
            let tokens = try backend.tokens(in: login)
            #expect((2...4).contains(try backend.claims(of: tokens.access).lifetime))
            let granted = try await backend.refresh(tokens.refresh)
            #expect(granted["AuthenticationResult.AccessToken"] != nil)
            #expect(granted["AuthenticationResult.RefreshToken"] == nil)
            #expect(try await backend.refusal(of: tokens.access).status == 401)

            let dead = try await backend.refresh("garbage")
            #expect((dead.status, dead["__type"]) == (400, "NotAuthorizedException"))
            // The service says "Invalid Refresh Token".
            #expect(dead["message"] == "Refresh Token has been revoked")
            let parameters = ["REFRESH_TOKEN": tokens.refresh]
            let stranger = try await backend.cognito(
                "InitiateAuth",
                ["AuthFlow": "REFRESH_TOKEN_AUTH", "AuthParameters": parameters],
                client: "nobody"
            )
            #expect((stranger.status, stranger["__type"]) == (400, "ResourceNotFoundException"))
            // The service looks at the token's end, and answers NotAuthorizedException.
            #expect(try await backend.cognito("GetUser", ["AccessToken": tokens.access]).status == 200)
            // The service has both operations.
            for gap in ["RevokeToken", "GetTokensFromRefreshToken"] {
                #expect(try await backend.cognito(gap, ["RefreshToken": tokens.refresh]).status == 500)
            }
            #expect(try await backend.revoke(try await backend.tokens()).status == 200)
        }
    }
}
