// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    import FreshetContract
    import FreshetWire

    /// The requirements of a token's header and claims (RFC 7519 section 4.1, RFC 9068 section 4).
    public struct TokenRules: Equatable, Sendable {
        /// The required issuer, compared byte by byte.
        public let issuer: String
        /// The identifier of this resource server, which the token's `aud` must include.
        public let audience: String
        /// The accepted algorithms of this issuer.
        package var algorithms: Set<TokenAlgorithm> = [.es256, .rs256, .edDSA]
        /// The required `typ`, in lower case and without `application/`.
        public var type = "at+jwt"
        /// The tolerated difference between the issuer's clock and this machine's, in seconds.
        public private(set) var leeway: Double = 30
        /// The maximum length of a token; a longer token is refused unparsed.
        package var maximumLength = 16_384
        /// The maximum remaining lifetime of a token, in seconds.
        ///
        /// A longer lifetime results from a time in milliseconds, or from an overflow.
        package var maximumTokenLifetime: Double = 366 * 86_400

        /// The maximum leeway; a larger difference is not explained by clock drift.
        public static let maximumLeeway: Double = 60

        /// Creates the requirements of an issuer's access tokens for one resource server.
        ///
        /// - Parameters:
        ///   - issuer: The required `iss`.
        ///   - audience: The value that `aud` must include.
        ///   - leeway: The tolerated difference of clocks in seconds, at most ``maximumLeeway``.
        public init(issuer: String, audience: String, leeway: Double = 30) {
            self.issuer = issuer
            self.audience = audience
            setLeeway(leeway)
        }

        /// Sets the leeway: from zero to ``maximumLeeway``.
        package mutating func setLeeway(_ seconds: Double) {
            leeway = seconds.isNaN ? 0 : min(max(0, seconds), Self.maximumLeeway)
        }

        /// Checks a token's header, before the key is looked up.
        package func check(header token: CompactJWS) throws(TokenVerificationError) {
            guard algorithms.contains(where: { $0.rawValue.hasSameBytes(as: token.algorithm) }) else {
                throw .algorithm
            }
            guard var type = token.header["typ"]?.string?.lowercased() else { throw .type }
            // RFC 7515 section 4.1.9: `application/` is omitted from a type that contains no other slash.
            if type.hasPrefix("application/") { type.removeFirst("application/".count) }
            guard type.hasSameBytes(as: self.type) else { throw .type }
        }

        /// Checks and returns the claims of a token whose signature has been verified.
        ///
        /// - Parameters:
        ///   - payload: The decoded second part of the token.
        ///   - now: The verifier's time, in seconds since 1970.
        /// - Returns: The token's claims.
        /// - Throws: The first error found.
        package func claims(of payload: [UInt8], now: Double) throws(TokenVerificationError) -> VerifiedToken {
            let claims = try JWTClaims(payload)
            try claims.requireIssuer(issuer)
            let audiences = try claims.audiences(including: CollectionOfOne(audience))
            guard let expiry = try claims.time("exp") else { throw .claims }
            guard now < expiry + leeway else { throw .expired }
            guard expiry <= now + maximumTokenLifetime + leeway else { throw .claims }
            if let start = try claims.time("nbf"), now + leeway < start { throw .notYetValid }
            let issuedAt = try claims.time("iat")
            if let issuedAt, now + leeway < issuedAt { throw .issuedLater }
            guard let subject = claims["sub"]?.string, !subject.isEmpty else { throw .subject }
            return VerifiedToken(
                issuer: issuer,
                subject: subject,
                audiences: audiences,
                expiresAt: expiry,
                issuedAt: issuedAt,
                session: claims["sid"]?.string,
                client: claims["client_id"]?.string,
                claims: claims.object
            )
        }
    }
#endif
