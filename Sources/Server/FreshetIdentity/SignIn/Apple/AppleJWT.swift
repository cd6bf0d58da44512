// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
package import Foundation
import FreshetContract
import FreshetEngine
package import FreshetJWT

/// A JWT signed by Apple for one of our apps (RFC 7515, RFC 7519): an identity token or a notification.
package struct AppleJWT: Sendable {
    static let issuer = "https://appleid.apple.com"
    /// The maximum length of a JWT; longer ones are refused unparsed.
    static let maximumLength = 8192
    /// The tolerated difference between Apple's clock and ours.
    static let clockSkew = Duration.seconds(60)

    let claims: JWTClaims
    let issuedAt: Timestamp
    /// The digest of the signed part only, because some signatures have two encodings.
    let digest: [UInt8]

    /// The reason that a JWT is refused.
    enum Fault: String, Error {
        case malformed, signature, issuer, audience, expired, issuedLater, nonce, subject

        /// Whether a wrong clock can cause this fault.
        var dependsOnClock: Bool { self == .expired || self == .issuedLater }

        fileprivate init(_ error: TokenVerificationError) {
            switch error {
            case .tooLarge, .malformed, .claims: self = .malformed
            // Keys are looked up by ID, and a key determines its algorithm, so that "none" and HS256 match no key.
            case .algorithm, .critical, .type, .unknownKey, .keysUnavailable, .signature, .sessionEnded:
                self = .signature
            case .issuer: self = .issuer
            case .audience: self = .audience
            case .expired: self = .expired
            case .notYetValid, .issuedLater: self = .issuedLater
            case .subject: self = .subject
            }
        }
    }

    /// The algorithms of Apple's signatures.
    static let algorithms: Set<TokenAlgorithm> = [.es256, .rs256]

    /// Verifies signature, issuer and audience, and that the JWT was not issued in the future.
    init(_ text: String, keys: JWKSet, audiences: Set<String>, now: Timestamp) throws(Fault) {
        let token: CompactJWS
        do throws(TokenVerificationError) {
            token = try CompactJWS(text, limit: Self.maximumLength)
            claims = try JWTClaims(token.payload)
            guard let key = keys[token.keyID] else { throw .unknownKey }
            try key.verify(token)
            try claims.requireIssuer(Self.issuer)
            _ = try claims.audiences(including: audiences)
        } catch { throw Fault(error) }
        let latest = (now + Self.clockSkew).seconds
        guard let issuedAt = Self.seconds("iat", of: claims), issuedAt <= latest, issuedAt >= 0 else {
            throw .issuedLater
        }
        if claims["nbf"] != nil {
            guard let start = Self.seconds("nbf", of: claims), start <= latest else { throw .issuedLater }
        }
        self.issuedAt = Timestamp(milliseconds: Int64(issuedAt * 1000))
        digest = Array(SHA256.hash(data: token.signed))
    }

    /// Returns the key id of an unverified JWT, only for looking up whether the key is known.
    static func keyID(of text: String) -> String? {
        (try? CompactJWS(text, limit: maximumLength))?.keyID
    }

    /// Returns the keys of a set that can verify Apple's JWTs.
    package static func keys(_ bytes: Data) throws(JWKSet.Fault) -> JWKSet {
        try JWKSet(Array(bytes), algorithms: algorithms)
    }

    /// Returns a NumericDate of RFC 7519; `nil` if it is absent or invalid.
    static func seconds(_ name: String, of claims: JWTClaims) -> Double? {
        (try? claims.time(name)) ?? nil
    }
}
