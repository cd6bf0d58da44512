// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The introspection endpoint for confidential clients (RFC 7662).
struct IntrospectionRoutes: Sendable {
    let clients: ClientAuthentication
    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let issuer: String
    let audience: String
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        guard clients.registry?.hasConfidential == true else { return }
        table.on(.post, NativePath.oauthIntrospect) { request, context in
            try await OAuthForm.respond(context) {
                let fields = try await OAuthForm.fields(of: request, limit: bodyLimit)
                let client = try await clients.confidentialClient(
                    authorization: request.headers[values: .authorization],
                    fields: fields
                )
                guard let token = fields["token"] else { throw APIError(.invalidRequest, "token is missing") }
                // The hint (section 2.1) is not needed: the two kinds of tokens have different formats.
                if let facts = access(token) { return .json(facts) }
                return .json(try await refresh(token, for: client) ?? IntrospectionResponse(active: false))
            }
        }
    }

    private func access(_ token: String) -> IntrospectionResponse? {
        guard let claims = try? bearer.claims(of: token) else { return nil }
        return IntrospectionResponse(
            active: true,
            tokenType: "Bearer",
            iss: issuer,
            aud: audience,
            sub: SessionID(claims.user).description,
            sid: claims.session,
            clientID: claims.client ?? audience,
            exp: claims.expiresAt.milliseconds / 1000,
            iat: claims.issuedAt.milliseconds / 1000
        )
    }

    /// Returns the state of a refresh token, unless it belongs to another client.
    private func refresh(_ token: String, for client: OAuthClient) async throws -> IntrospectionResponse? {
        guard let token = try? SessionRegistry.parse(token), let row = try await sessions.session(of: token),
            row.client == nil || row.client == client.id
        else { return nil }
        return IntrospectionResponse(
            active: true,
            iss: issuer,
            sub: SessionID(row.user).description,
            sid: row.id,
            clientID: row.client,
            exp: row.end.milliseconds / 1000,
            iat: row.createdAt.milliseconds / 1000
        )
    }

    /// The response of section 2.2; for an invalid token, only `active` is set.
    struct IntrospectionResponse: Encodable, Equatable {
        var active: Bool
        var tokenType: String?
        var iss: String?
        var aud: String?
        var sub: String?
        var sid: SessionID?
        var clientID: String?
        var exp: Int64?
        var iat: Int64?

        private enum CodingKeys: String, CodingKey {
            case active, iss, aud, sub, sid, exp, iat
            case tokenType = "token_type"
            case clientID = "client_id"
        }
    }
}
