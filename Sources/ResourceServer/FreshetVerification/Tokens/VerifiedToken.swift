// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// The claims of a verified token.
///
/// Issuer and subject together identify the user; an address or a name in the token does not.
package struct VerifiedToken: Equatable, Sendable {
    package var issuer: String
    package var subject: String
    package var audiences: [String]
    /// The time of expiry, in seconds since 1970 like all times of tokens.
    package var expiresAt: Double
    package var issuedAt: Double?
    /// The session of the token, if the issuer includes it.
    package var session: String?
    /// The OAuth client to which the token was issued.
    package var client: String?
    /// All claims.
    package var claims: JSONObject
}
