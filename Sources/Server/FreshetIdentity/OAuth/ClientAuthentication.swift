// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
package import FreshetEngine
import FreshetWire

/// Who a request says that its client is, and whether that is so (RFC 6749 sections 2.3 and 3.2.1).
package struct ClientAuthentication: Sendable {
    /// `nil` if the server has no registry: then `client_id` is taken and not looked at.
    package let registry: ClientRegistry?
    /// Its own, so that guessing secrets keeps no user from signing in, and a crowd of users no client.
    package let hasher: PasswordHasher
    package let networks: ClientNetworks
    package let limiter: RateLimiter
    package let limits: SignInRateLimits
    package let clock: @Sendable () -> Timestamp

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

    /// What a request says.
    private struct ClientCredentials {
        var id: String
        /// What it may mean; nothing if it sends no secret.
        var secrets: [String]
    }

    /// The client of a request.
    ///
    /// - Parameters:
    ///   - authorization: The values of the request's `Authorization` fields.
    ///   - fields: The fields of its form.
    /// - Returns: `nil` without a registry.
    /// - Throws: `invalidClient` for one that is not known, or does not prove itself; `tooManyRequests` before a secret is
    ///   looked at, if too many were wrong.
    package func client(authorization: [String], fields: [String: String]) async throws -> OAuthClient? {
        guard let registry else { return nil }
        let claim = try claim(authorization, fields)
        let client = registry[claim.id]
        // A client without a secret proves nothing, so there is nothing to guess.
        guard !claim.secrets.isEmpty else {
            // Nor is a client guessed that must have one: anybody could use up its attempts in that way.
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

    /// - Returns: `nil` unless the client exists and one of the secrets is its own.
    private func prove(_ client: OAuthClient?, _ claim: ClientCredentials) async throws -> OAuthClient? {
        // A public client that sends a secret takes itself for another.
        guard let client, let hash = client.secret else { return nil }
        for secret in claim.secrets where try await hash.matches(secret, hasher: hasher) { return client }
        return nil
    }

    /// The client that signs a user in, if it names itself in the header; the body belongs to the user.
    ///
    /// Apps that put their last access token on every call name no client by that.
    package func client(ofSignIn authorization: [String]) async throws -> OAuthClient? {
        let field = authorization.first?.lowercased() ?? ""
        guard registry != nil, field == "basic" || field.hasPrefix("basic ") else { return nil }
        return try await client(authorization: authorization, fields: [:])
    }

    /// The confidential client of a request: nobody else is told about tokens.
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
        guard let claim = Self.basic(header) else { throw Self.refusal }
        // RFC 6749 section 2.3: one way of authentication in each request.
        guard fields["client_secret"] == nil, fields["client_id"].map({ $0 == claim.id }) ?? true else {
            throw APIError(.invalidRequest, "the client names itself in two ways")
        }
        return claim
    }

    /// Section 2.3.1: both are encoded as in a form, and then as RFC 7617 says; many libraries leave the first out.
    private static func basic(_ header: String) -> ClientCredentials? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            let id = decoded(text[..<colon])
        else { return nil }
        let secret = text[text.index(after: colon)...]
        guard !secret.isEmpty else { return ClientCredentials(id: id, secrets: []) }
        return ClientCredentials(
            id: id,
            secrets: [decoded(secret)].compactMap(\.self).filter { $0 != secret } + [String(secret)]
        )
    }

    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
