// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetIdentity
import FreshetWire
package import HTTPTypes
package import Hummingbird

/// Returns whether an access token, which is valid otherwise, is accepted at a time.
package typealias AccessTokenCheck = @Sendable (AccessClaims, Timestamp) -> Bool

/// Authenticates requests by access tokens of live sessions (RFC 6750).
package struct BearerAuthentication: Sendable {
    /// Returns the verifier for the current keys.
    private let verifier: @Sendable () -> AccessTokenVerifier
    let ended: RevokedSessionCache
    /// A further check of each token, for development; `nil` in production.
    private let check: AccessTokenCheck?
    package let clock: @Sendable () -> Timestamp

    package init(
        keys: CurrentKeys,
        ended: RevokedSessionCache,
        check: AccessTokenCheck? = nil,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        verifier = { keys.current.verifier }
        self.ended = ended
        self.check = check
        self.clock = clock
    }

    /// Creates an authentication with fixed keys.
    init(verifier: AccessTokenVerifier, ended: RevokedSessionCache, clock: @escaping @Sendable () -> Timestamp) {
        self.verifier = { verifier }
        self.ended = ended
        check = nil
        self.clock = clock
    }

    /// Returns the claims of a request's access token.
    ///
    /// - Throws: `invalidToken` if the token is missing or invalid, or its session has ended.
    package func claims(of request: Request) throws(APIError) -> AccessClaims { try claims(of: request.headers) }

    /// Returns the claims like ``claims(of:)``, but for a request's header fields.
    package func claims(of fields: HTTPFields) throws(APIError) -> AccessClaims {
        let fields = fields[values: .authorization]
        guard let field = fields.first else { throw APIError(.invalidToken) }
        guard fields.count == 1 else { throw APIError(.invalidRequest, "more than one Authorization field") }
        guard let field = AuthorizationField(field), field.scheme == "bearer" else { throw APIError(.invalidToken) }
        return try claims(of: field.credentials)
    }

    /// Returns the claims of a valid access token whose session may have ended; `nil` for every other token.
    package func claimsIgnoringEnd(of token: String) -> AccessClaims? { verifier().claims(of: token, now: clock()) }

    /// Returns the claims like ``claims(of:)``, but for a token found elsewhere in a request.
    package func claims(of token: String) throws(APIError) -> AccessClaims {
        let now = clock()
        guard let claims = verifier().claims(of: token, now: now), ended.accepts(claims, at: now),
            check?(claims, now) ?? true
        else {
            throw APIError(.invalidToken, "the access token is expired or not ours")
        }
        return claims
    }
}
