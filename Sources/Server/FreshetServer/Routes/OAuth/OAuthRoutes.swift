// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The token and revocation endpoints for OAuth libraries, which send no intents.
///
/// Without a client registry, `client_id` is accepted unchecked, and any holder of a session's refresh token can use
/// the session. With a client registry, a client identifies or authenticates itself, and a session opened for a client
/// is bound to it.
struct OAuthRoutes: Sendable {
    let clients: ClientAuthentication
    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.oauthToken) { request, context in
            try await OAuthForm.respond(context) {
                let fields = try await OAuthForm.fields(of: request, limit: bodyLimit)
                let client = try await clients.client(
                    authorization: request.headers[values: .authorization],
                    fields: fields
                )
                return .json(TokenResponse(try await grant(fields, client)))
            }
        }
        table.on(.post, NativePath.oauthRevoke) { request, context in
            try await OAuthForm.respond(context) {
                let fields = try await OAuthForm.fields(of: request, limit: bodyLimit)
                let client = try await clients.client(
                    authorization: request.headers[values: .authorization],
                    fields: fields
                )
                try await revoke(fields, client)
                return Response(status: .ok)
            }
        }
    }

    private func grant(_ fields: [String: String], _ client: OAuthClient?) async throws -> SessionTokens {
        guard let grantType = fields["grant_type"] else { throw APIError(.invalidRequest, "grant_type is missing") }
        guard grantType == "refresh_token" else {
            throw APIError(.unsupportedGrantType, "the only grant here is refresh_token")
        }
        guard let token = fields["refresh_token"] else { throw APIError(.invalidRequest, "refresh_token is missing") }
        // Section 6 permits no scope beyond that of the sign-in, and sign-ins grant none.
        guard fields["scope"] == nil else { throw APIError(.invalidScope, "there are no scopes here") }
        let request = try TokenRequest(.refresh(intent: nil), token: token, at: .oauth(client: client?.id))
        guard let tokens = try await sessions.present(request) else {
            throw APIError(.serverError, "a refresh without tokens")
        }
        return tokens
    }

    /// Ends the session of a refresh or access token, regardless of the hint (RFC 7009 section 2.1).
    ///
    /// An unknown token counts as revoked (section 2.2); another client's token is refused.
    private func revoke(_ fields: [String: String], _ client: OAuthClient?) async throws {
        guard let token = fields["token"] else { throw APIError(.invalidRequest, "token is missing") }
        if let claims = bearer.claimsIgnoringEnd(of: token) {
            guard claims.client == nil || claims.client == client?.id else {
                throw APIError(.refused(.otherClient))
            }
            return try await sessions.signOut(by: claims)
        }
        do {
            _ = try await sessions.present(TokenRequest(.logout, token: token, at: .oauth(client: client?.id)))
        } catch let error as APIError {
            guard error.code == .invalidGrant, error != APIError(.refused(.otherClient)) else { throw error }
        }
    }

    /// The response of RFC 6749 section 5.1.
    private struct TokenResponse: Encodable, Masked {
        var accessToken: String
        var tokenType: String
        var expiresIn: Int
        var refreshToken: String

        var mask: String { "TokenResponse(•••)" }

        init(_ grant: SessionTokens) {
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
