// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetWire

/// The claims of this server's access tokens (RFC 9068 section 2.2, and `sid`).
package struct AccessClaims: Equatable, Sendable {
    package var user: UUID
    package var session: SessionID
    /// The OAuth client that the token was issued to; `nil` for the app itself.
    package var client: String?
    package var issuedAt: Timestamp
    /// The time from which the token is refused.
    package var expiresAt: Timestamp
    /// The time at which the user authenticated by signing in (`auth_time` of OpenID Connect Core section 2).
    package var authenticatedAt = Timestamp(milliseconds: 0)

    package init(
        user: UUID,
        session: SessionID,
        client: String? = nil,
        issuedAt: Timestamp,
        expiresAt: Timestamp,
        authenticatedAt: Timestamp = Timestamp(milliseconds: 0)
    ) {
        self.user = user
        self.session = session
        self.client = client
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.authenticatedAt = authenticatedAt
    }
}
