// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    package import FreshetContract

    /// The claims of a verified token.
    ///
    /// Issuer and subject together identify the user; an address or a name in the token does not.
    public struct VerifiedToken: Equatable, Sendable {
        /// The issuer (`iss`).
        public var issuer: String
        /// The user (`sub`), unique within the issuer.
        public var subject: String
        /// The audiences (`aud`).
        public var audiences: [String]
        /// The time of expiry, in seconds since 1970 like all times of tokens.
        public var expiresAt: Double
        /// The time of issue (`iat`), in seconds since 1970.
        public var issuedAt: Double?
        /// The session of the token, if the issuer includes it.
        public var session: String?
        /// The OAuth client to which the token was issued.
        public var client: String?
        /// All claims.
        package var claims: JSONObject
    }
#endif
