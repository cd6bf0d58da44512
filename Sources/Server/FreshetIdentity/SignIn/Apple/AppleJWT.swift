// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
package import Foundation
import FreshetContract
package import FreshetEngine
package import FreshetVerification

/// Something that Apple signed for one of our apps (RFC 7515, RFC 7519): an identity token, or a notice.
package struct AppleJWT: Sendable {
    package static let issuer = "https://appleid.apple.com"
    /// Longer ones are refused unread.
    package static let maximumLength = 8192
    /// How far Apple's clock and ours may differ.
    package static let clockSkew = Duration.seconds(60)

    package let claims: JWTClaims
    package let issuedAt: Timestamp
    /// Of what was signed: some signatures can be written in two ways.
    package let digest: [UInt8]

    /// Why it says nothing.
    package enum Fault: String, Error {
        case malformed, signature, issuer, audience, expired, issuedLater, nonce, subject

        /// Whether a clock that is wrong finds it.
        var dependsOnClock: Bool { self == .expired || self == .issuedLater }

        fileprivate init(_ error: TokenVerificationError) {
            switch error {
            case .tooLarge, .malformed, .claims: self = .malformed
            // Keys are looked up by ID, and a key decides its algorithm: "none" and HS256 find no key.
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

    /// The algorithms that Apple signs with.
    static let algorithms: Set<TokenAlgorithm> = [.es256, .rs256]

    /// Verifies who said it, to whom, and that it was not said later than now.
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

    /// The key that a statement names, read before anything is verified: only for finding out whether it is known.
    package static func keyID(of text: String) -> String? {
        (try? CompactJWS(text, limit: maximumLength))?.keyID
    }

    /// The keys of a set that Apple's statements can be verified with.
    package static func keys(_ bytes: Data) throws(JWKSet.Fault) -> JWKSet {
        try JWKSet(Array(bytes), algorithms: algorithms)
    }

    /// A NumericDate of RFC 7519; `nil` if it is absent or none.
    package static func seconds(_ name: String, of claims: JWTClaims) -> Double? {
        (try? claims.time(name)) ?? nil
    }
}
