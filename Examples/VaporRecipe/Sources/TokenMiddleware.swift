// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetVerification
import Vapor

/// The user of a request, with the claims of its access token.
struct TokenUser: Authenticatable, Sendable {
    var token: VerifiedToken
}

/// Passes on requests with a valid access token and refuses the others (RFC 6750 section 3).
struct TokenMiddleware: AsyncMiddleware {
    let verifier: TokenVerifier

    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        switch BearerCredentials(
            authorization: request.headers["Authorization"],
            query: Substring(request.url.query ?? "")
        ) {
        case .absent:
            throw Abort(.unauthorized, headers: ["WWW-Authenticate": #"Bearer realm="api""#])
        case .misplaced:
            let challenge = #"Bearer realm="api", error="invalid_request""#
            throw Abort(.badRequest, headers: ["WWW-Authenticate": challenge])
        case .token(let text):
            do throws(TokenVerificationError) {
                request.auth.login(TokenUser(token: try await verifier.verify(text)))
            } catch .keysUnavailable {
                // The token was not verified: a 401 would sign the user out.
                throw Abort(.serviceUnavailable, headers: ["Retry-After": "5"])
            } catch {
                let challenge = #"Bearer realm="api", error="invalid_token""#
                throw Abort(.unauthorized, headers: ["WWW-Authenticate": challenge])
            }
        }
        return try await next.respond(to: request)
    }
}
