// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
package import FreshetEngine
import FreshetVerification
import FreshetWire
import NIOConcurrencyHelpers

/// Says whether an access token is one of ours and still good.
///
/// Only tokens that this server's own signers wrote can pass: the header must be theirs to the byte, so no algorithm,
/// key or type is ever chosen by the token. A token that passed is remembered until it expires, because the curve costs a
/// hundred times the look-up.
///
/// A signature (r, s) can be rewritten as (r, n - s) without the key, so one token has two texts. It is remembered by a digest of
/// its header and payload, together with the texts that were verified.
package final class AccessTokenVerifier: Sendable {
    private struct Key: Sendable {
        /// The encoded header, and a full stop.
        var encodedHeader: [UInt8]
        var publicKey: VerificationKey
    }

    /// Longer tokens are refused unread.
    package static let maximumLength = 4096
    /// How many verified tokens are remembered.
    static let rememberedTokens = 65_536

    private let keys: [Key]
    private let issuer: String
    private let audience: String
    private struct Remembered {
        var claims: AccessClaims
        /// Digests of the whole texts, two at most: header and payload alone prove nothing.
        var texts: [SHA256Digest]
    }

    private let remembered = NIOLockedValueBox<[SHA256Digest: Remembered]>([:])

    init(keys: [P256.Signing.PrivateKey], issuer: String, audience: String) throws {
        self.issuer = issuer
        self.audience = audience
        self.keys = try keys.map { key in
            let signer = try AccessTokenSigner(key: key, issuer: issuer, audience: audience)
            return Key(encodedHeader: Array(signer.encodedHeader.utf8), publicKey: .es256(key.publicKey))
        }
    }

    /// Reads a token.
    ///
    /// - Returns: its claims, or `nil` if it is not ours or its time is over.
    package func claims(of token: String, now: Timestamp) -> AccessClaims? {
        guard token.utf8.count <= Self.maximumLength else { return nil }
        guard let (signed, text) = Self.digests(of: token) else { return nil }
        if let known = remembered.withLockedValue({ $0[signed] }), known.texts.contains(text) {
            return now < known.claims.expiresAt ? known.claims : nil
        }
        guard let claims = verified(token, now: now), now < claims.expiresAt else { return nil }
        remembered.withLockedValue { remembered in
            if remembered[signed] == nil, remembered.count >= Self.rememberedTokens {
                remembered = remembered.filter { now < $0.value.claims.expiresAt }
                if remembered.count >= Self.rememberedTokens { remembered.removeAll() }
            }
            var texts = remembered[signed]?.texts ?? []
            if !texts.contains(text) { texts = texts.suffix(1) + [text] }
            remembered[signed] = Remembered(claims: claims, texts: texts)
        }
        return claims
    }

    /// How many tokens are remembered now.
    var rememberedCount: Int { remembered.withLockedValue { $0.count } }

    /// The digests of what is signed, and of the whole token.
    private static func digests(of token: String) -> (signed: SHA256Digest, text: SHA256Digest)? {
        var token = token
        return token.withUTF8 { bytes in
            guard let end = bytes.lastIndex(of: UInt8(ascii: ".")) else { return nil }
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<end]))
            let signed = hash.finalize()
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[end...]))
            return (signed, hash.finalize())
        }
    }

    private func verified(_ token: String, now: Timestamp) -> AccessClaims? {
        do throws(TokenVerificationError) {
            let token = try CompactJWS(token, limit: Self.maximumLength)
            guard let key = keys.first(where: { token.signed.starts(with: $0.encodedHeader) }) else { return nil }
            try key.publicKey.verify(token)
            let claims = try JWTClaims(token.payload)
            try claims.requireIssuer(issuer)
            // A token that is meant for others, too, is none of ours.
            _ = try claims.audiences(including: CollectionOfOne(audience))
            guard let audience = claims["aud"]?.string, let client = claims["client_id"]?.string,
                let user = claims["sub"]?.string.flatMap(UUID.init(uuidString:)),
                let session = claims["sid"]?.string.flatMap(SessionID.init(_:)),
                let issuedAt = try Self.timestamp("iat", of: claims),
                let expiresAt = try Self.timestamp("exp", of: claims),
                try Self.timestamp("nbf", of: claims).map({ $0 <= now }) ?? true
            else { return nil }
            return AccessClaims(
                user: user,
                session: session,
                client: client == audience ? nil : client,
                issuedAt: issuedAt,
                expiresAt: expiresAt,
                // Tokens of earlier versions have none: their sign-in is not fresh.
                authenticatedAt: try Self.timestamp("auth_time", of: claims) ?? Timestamp(milliseconds: 0)
            )
        } catch { return nil }
    }

    /// A NumericDate; `nil` if the claim is absent.
    ///
    /// - Throws: `claims` for what is no number, and for a number that is no time in seconds.
    private static func timestamp(_ name: String, of claims: JWTClaims) throws(TokenVerificationError) -> Timestamp? {
        guard let seconds = try claims.time(name) else { return nil }
        guard (0..<1e11).contains(seconds) else { throw .claims }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}
