// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetIdentity
import FreshetWire
package import HTTPTypes
package import Hummingbird

/// Authenticates requests by access tokens of live sessions (RFC 6750).
package struct BearerAuthentication: Sendable {
    /// Returns the verifier for the current keys.
    private let verifier: @Sendable () -> AccessTokenVerifier
    let ended: RevokedSessionCache
    package let clock: @Sendable () -> Timestamp

    package init(keys: CurrentKeys, ended: RevokedSessionCache, clock: @escaping @Sendable () -> Timestamp) {
        verifier = { keys.current.verifier }
        self.ended = ended
        self.clock = clock
    }

    /// Creates an authentication with fixed keys.
    init(verifier: AccessTokenVerifier, ended: RevokedSessionCache, clock: @escaping @Sendable () -> Timestamp) {
        self.verifier = { verifier }
        self.ended = ended
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
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw APIError(.invalidToken) }
        return try claims(of: String(parts[1]))
    }

    /// Returns the claims like ``claims(of:)``, but for a token found elsewhere in a request.
    package func claims(of token: String) throws(APIError) -> AccessClaims {
        let now = clock()
        guard let claims = verifier().claims(of: token, now: now), ended.accepts(claims, at: now) else {
            throw APIError(.invalidToken, "the access token is expired or not ours")
        }
        return claims
    }
}
