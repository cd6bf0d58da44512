// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire
import HTTPTypes
import Hummingbird

/// The token and revocation endpoints for OAuth libraries: public clients, which send no intents.
///
/// There is no register of clients, so `client_id` is taken and not looked at; a session belongs to its refresh token's
/// holder. Confidential clients are not served: a secret that is sent proves nothing here.
struct OAuthRoutes: Sendable {
    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.oauthToken) { request, context in
            try await answer(context) { .json(TokenAnswer(try await grant(try await fields(of: request)))) }
        }
        table.on(.post, NativePath.oauthRevoke) { request, context in
            try await answer(context) {
                try await revoke(try await fields(of: request))
                return Response(status: .ok)
            }
        }
    }

    private func grant(_ fields: [String: String]) async throws -> Grant {
        guard let grantType = fields["grant_type"] else { throw APIError(.invalidRequest, "grant_type is missing") }
        guard grantType == "refresh_token" else {
            throw APIError(.unsupportedGrantType, "the only grant here is refresh_token")
        }
        guard let token = fields["refresh_token"] else { throw APIError(.invalidRequest, "refresh_token is missing") }
        return try await sessions.refresh(RefreshRequest(refreshToken: token), at: .oauth)
    }

    /// Ends the session of a refresh or access token, whatever the hint says (RFC 7009 section 2.1).
    ///
    /// What is no token of ours is as good as revoked (section 2.2).
    private func revoke(_ fields: [String: String]) async throws {
        guard let token = fields["token"] else { throw APIError(.invalidRequest, "token is missing") }
        if let claims = try? bearer.claims(of: token) {
            _ = try await sessions.end(of: claims.user, only: claims.session, reason: .logout)
            return
        }
        do { try await sessions.logout(SessionRegistry.parse(token)) } catch let error as APIError {
            guard error.code == .invalidGrant else { throw error }
        }
    }

    /// RFC 6749 knows one word for every request that cannot be read, a wrong kind of body among them.
    private func fields(of request: Request) async throws -> [String: String] {
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw APIError(.invalidRequest, "send a form: Content-Type: application/x-www-form-urlencoded")
        }
        let fields = try FormText.fields(of: try await request.content(limit: bodyLimit))
        return Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }

    /// With both words against caches that RFC 6749 section 5.1 asks for, on errors as well.
    private func answer(
        _ context: ServerRequestContext,
        _ body: () async throws -> Response
    ) async throws -> Response {
        var response: Response
        do { response = try await body() } catch let error as APIError {
            response = Response.error(error, requestID: context.id)
        }
        response.headers[.cacheControl] = "no-store"
        if let pragma = HTTPField.Name("Pragma") { response.headers[pragma] = "no-cache" }
        return response
    }

    /// RFC 6749 section 5.1.
    private struct TokenAnswer: Encodable, Masked {
        var accessToken: String
        var tokenType: String
        var expiresIn: Int
        var refreshToken: String

        var mask: String { "TokenAnswer(•••)" }

        init(_ grant: Grant) {
            accessToken = grant.accessToken
            tokenType = grant.tokenType
            expiresIn = grant.expiresIn
            refreshToken = grant.refreshToken
        }

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case expiresIn = "expires_in"
            case refreshToken = "refresh_token"
        }
    }
}
