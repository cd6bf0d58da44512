// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract

/// What a token must say to be good here, whoever signed it (RFC 7519 section 4.1, RFC 9068 section 4).
package struct TokenRules: Equatable, Sendable {
    /// Compared byte by byte.
    package let issuer: String
    /// Who we are; a token must be meant for us.
    package let audience: String
    /// The algorithms that this issuer signs with, and no others.
    package var algorithms: Set<TokenAlgorithm> = [.es256, .rs256, .edDSA]
    /// The kind of token, in lower case and without `application/`.
    package var type = "at+jwt"
    /// How far the issuer's clock and ours may differ.
    package private(set) var leeway: Double = 30
    /// Longer tokens are refused unread.
    package var maximumLength = 16_384
    /// No token ends later than this from now: a time in milliseconds, or one that wraps somewhere, is a mistake.
    package var maximumTokenLifetime: Double = 366 * 86_400

    /// More than this is no difference of clocks.
    package static let maximumLeeway: Double = 60

    package init(issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
    }

    /// Sets how far clocks may differ: from none to ``maximumLeeway``.
    package mutating func setLeeway(_ seconds: Double) {
        leeway = seconds.isNaN ? 0 : min(max(0, seconds), Self.maximumLeeway)
    }

    /// Whether a token's header fits; the key is not asked yet.
    package func check(header token: CompactJWS) throws(TokenVerificationError) {
        guard algorithms.contains(where: { Self.areSame($0.rawValue, token.algorithm) }) else { throw .algorithm }
        guard var type = token.header["typ"]?.string?.lowercased() else { throw .type }
        // RFC 7515 section 4.1.9: a name without a slash stands for one under application/.
        if type.hasPrefix("application/") { type.removeFirst("application/".count) }
        guard Self.areSame(type, self.type) else { throw .type }
    }

    /// Reads the claims of a token whose signature is good.
    ///
    /// - Parameters:
    ///   - payload: The token's second part, decoded.
    ///   - now: The verifier's time, in seconds since 1970.
    /// - Returns: What it says.
    /// - Throws: The first thing that does not fit.
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

    /// Swift's strings are equal if they look the same; names in tokens are equal if their bytes are.
    static func areSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}
