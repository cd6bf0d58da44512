// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// What a good token says.
///
/// Whose it is, issuer and subject say together; an address or a name in it says nothing.
package struct VerifiedToken: Equatable, Sendable {
    package var issuer: String
    package var subject: String
    package var audiences: [String]
    /// In seconds since 1970, as all times of tokens.
    package var expiresAt: Double
    package var issuedAt: Double?
    /// The session that it belongs to, if the issuer tells.
    package var session: String?
    /// The OAuth client that it was issued to.
    package var client: String?
    /// All that it says.
    package var claims: JSONObject
}
