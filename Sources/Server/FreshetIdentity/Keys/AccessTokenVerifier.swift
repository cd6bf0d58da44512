// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
package import FreshetEngine
import FreshetJWT
import FreshetWire
import NIOConcurrencyHelpers

/// Verifies this server's access tokens.
///
/// Only tokens of this server's own signers are valid. Their header must be identical byte by byte, so a token cannot
/// choose an algorithm, a key or a type. A verified token is cached until it expires, because verifying its signature
/// costs a hundred times as much as the lookup.
///
/// A signature (r, s) can be rewritten as (r, n - s) without the key, so a token has two encodings. The cache key is
/// the digest of header and payload; the value holds the digests of the verified encodings.
package final class AccessTokenVerifier: Sendable {
    private struct Key: Sendable {
        /// The encoded header, followed by a full stop.
        var encodedHeader: [UInt8]
        var publicKey: VerificationKey
    }

    /// The maximum length of a token; longer ones are refused unparsed.
    static let maximumLength = 4096
    /// The maximum number of cached tokens.
    static let rememberedTokens = 65_536
    /// The number of cached tokens below which expired ones are not looked for.
    static let fewTokens = 1024

    private let keys: [Key]
    private let issuer: String
    private let audience: String
    private struct Remembered {
        var claims: AccessClaims
        /// The digests of the verified encodings, at most two.
        ///
        /// Header and payload alone do not prove that a token is valid.
        var texts: [SHA256Digest]
    }

    /// The verified tokens, of which at most half have expired, but for some.
    private struct Cache {
        var tokens: [SHA256Digest: Remembered] = [:]
        /// The number of tokens at which expired ones are removed.
        var limit = AccessTokenVerifier.fewTokens

        /// Removes the expired tokens, or all if there are too many, once there are as many as ``limit``.
        ///
        /// As the limit is twice the number that stays, a removal costs each new token a constant time.
        mutating func makeRoom(now: Timestamp) {
            guard tokens.count >= limit else { return }
            tokens = tokens.filter { now < $0.value.claims.expiresAt }
            if tokens.count >= AccessTokenVerifier.rememberedTokens { tokens = [:] }
            limit = min(AccessTokenVerifier.rememberedTokens, max(AccessTokenVerifier.fewTokens, 2 * tokens.count))
        }
    }

    private let cache = NIOLockedValueBox(Cache())

    init(keys: [P256.Signing.PrivateKey], issuer: String, audience: String) throws {
        self.issuer = issuer
        self.audience = audience
        self.keys = try keys.map { key in
            let signer = try AccessTokenSigner(key: key, issuer: issuer, audience: audience)
            return Key(encodedHeader: Array(signer.encodedHeader.utf8), publicKey: .es256(key.publicKey))
        }
    }

    /// Verifies a token.
    ///
    /// - Returns: The token's claims, or `nil` if it is invalid or expired.
    package func claims(of token: String, now: Timestamp) -> AccessClaims? {
        guard token.utf8.count <= Self.maximumLength else { return nil }
        guard let (signed, text) = Self.digests(of: token) else { return nil }
        if let known = cache.withLockedValue({ $0.tokens[signed] }), known.texts.contains(text) {
            return now < known.claims.expiresAt ? known.claims : nil
        }
        guard let claims = verified(token, now: now), now < claims.expiresAt else { return nil }
        cache.withLockedValue { cache in
            if cache.tokens[signed] == nil { cache.makeRoom(now: now) }
            var texts = cache.tokens[signed]?.texts ?? []
            if !texts.contains(text) { texts = texts.suffix(1) + [text] }
            cache.tokens[signed] = Remembered(claims: claims, texts: texts)
        }
        return claims
    }

    /// The number of cached tokens.
    var rememberedCount: Int { cache.withLockedValue { $0.tokens.count } }

    /// Returns the digest of the signed part and that of the whole token.
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
            // A token with additional audiences was not issued by this server.
            _ = try claims.audiences(including: CollectionOfOne(audience))
            guard let audience = claims["aud"]?.string, let client = claims["client_id"]?.string,
                let user = claims["sub"]?.string.flatMap({ UUID(exactly: $0) }),
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
                // Tokens of earlier versions have no `auth_time`: their sign-in is not recent.
                authenticatedAt: try Self.timestamp("auth_time", of: claims) ?? Timestamp(milliseconds: 0)
            )
        } catch { return nil }
    }

    /// Returns a NumericDate; `nil` if the claim is absent.
    ///
    /// - Throws: `claims` if the value is not a number, or not a time in seconds.
    private static func timestamp(_ name: String, of claims: JWTClaims) throws(TokenVerificationError) -> Timestamp? {
        guard let seconds = try claims.time(name) else { return nil }
        guard (0..<1e11).contains(seconds) else { throw .claims }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}
