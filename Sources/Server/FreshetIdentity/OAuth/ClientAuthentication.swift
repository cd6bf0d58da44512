// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
package import FreshetEngine
import FreshetWire

/// Authenticates the OAuth client of a request (RFC 6749 sections 2.3 and 3.2.1).
package struct ClientAuthentication: Sendable {
    /// The client registry; `nil` if the server has none, so that `client_id` is accepted unchecked.
    package let registry: ClientRegistry?
    /// The hasher of client secrets, separate from that of passwords so that neither guessed secrets nor sign-ins delay
    /// the other.
    package let hasher: PasswordHasher
    let networks: ClientNetworks
    let limiter: RateLimiter
    let limits: SignInRateLimits
    let clock: @Sendable () -> Timestamp

    package init(
        registry: ClientRegistry?,
        hasher: PasswordHasher,
        networks: ClientNetworks,
        limiter: RateLimiter,
        limits: SignInRateLimits,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.registry = registry
        self.hasher = hasher
        self.networks = networks
        self.limiter = limiter
        self.limits = limits
        self.clock = clock
    }

    /// Returns the authenticated client of a request.
    ///
    /// - Parameters:
    ///   - authorization: The values of the request's `Authorization` header fields.
    ///   - fields: The fields of the request's form.
    /// - Returns: `nil` without a registry.
    /// - Throws: `invalidClient` for a client that is unknown or fails to authenticate; `tooManyRequests`, before the
    ///   secret is checked, after too many failures.
    package func client(authorization: [String], fields: [String: String]) async throws -> OAuthClient? {
        guard let registry else { return nil }
        let claim = try claim(authorization, fields)
        let client = registry[claim.id]
        // A client without a secret is not authenticated, so there is no secret to guess.
        guard !claim.secrets.isEmpty else {
            // A missing secret is not a guess either: otherwise any attacker could use up the client's attempts.
            guard let client, client.secret == nil else { throw Self.refusal }
            return client
        }
        let (source, now) = (RequestTrace.current?.source, clock())
        let isKnown = try await networks.contains(client?.id, source?.network, at: now)
        let plan = limits.clientSecret(client?.id, from: source, isKnownNetwork: isKnown)
        let proved = try await limiter.attempt(plan, now: now) { try await prove(client, claim) }
        guard let proved else { throw Self.refusal }
        await networks.insert(proved.id, source?.network, at: now)
        return proved
    }

    /// Verifies a secret; `nil` unless the client exists and one of the secrets is correct.
    private func prove(_ client: OAuthClient?, _ claim: ClientCredentials) async throws -> OAuthClient? {
        // A public client that sends a secret is misconfigured.
        guard let client, let hash = client.secret else { return nil }
        for secret in claim.secrets where try await hash.matches(secret, hasher: hasher) { return client }
        return nil
    }

    /// Returns the client of a sign-in, if the header authenticates one; the body has the user's credentials.
    ///
    /// Ignores the access token that some apps send with every request.
    package func client(ofSignIn authorization: [String]) async throws -> OAuthClient? {
        let field = authorization.first?.lowercased() ?? ""
        guard registry != nil, field == "basic" || field.hasPrefix("basic ") else { return nil }
        return try await client(authorization: authorization, fields: [:])
    }

    /// Returns the confidential client of a request; other clients get no information about tokens.
    package func confidentialClient(authorization: [String], fields: [String: String]) async throws -> OAuthClient {
        guard let client = try await client(authorization: authorization, fields: fields), client.kind == .confidential
        else {
            throw Self.refusal
        }
        return client
    }

    private static let refusal = APIError(.invalidClient, "the client is not known, or its secret is wrong or missing")

    private func claim(_ authorization: [String], _ fields: [String: String]) throws(APIError) -> ClientCredentials {
        guard authorization.count <= 1 else { throw APIError(.invalidRequest, "more than one Authorization field") }
        guard let header = authorization.first else {
            guard let id = fields["client_id"] else { throw Self.refusal }
            return ClientCredentials(id: id, secrets: fields["client_secret"].map { [$0] } ?? [])
        }
        guard let claim = ClientCredentials(basic: header) else { throw Self.refusal }
        // RFC 6749 section 2.3: one authentication method per request.
        guard fields["client_secret"] == nil, fields["client_id"].map({ $0 == claim.id }) ?? true else {
            throw APIError(.invalidRequest, "the client names itself in two ways")
        }
        return claim
    }
}
