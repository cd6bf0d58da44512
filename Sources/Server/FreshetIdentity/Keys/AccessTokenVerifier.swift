// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
package import FreshetEngine
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
        var encodedHeader: String
        var publicKey: P256.Signing.PublicKey
    }

    private struct Payload: Decodable {
        var iss: String
        var aud: String
        var clientID: String
        var sub: String
        var sid: SessionID
        var iat: Double
        var exp: Double
        /// Tokens of earlier versions have none: their sign-in is not fresh.
        var authenticatedAt: Double?

        private enum CodingKeys: String, CodingKey {
            case iss, aud, sub, sid, iat, exp
            case clientID = "client_id"
            case authenticatedAt = "auth_time"
        }
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
            return Key(encodedHeader: signer.encodedHeader, publicKey: key.publicKey)
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
        guard let claims = verified(token), now < claims.expiresAt else { return nil }
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

    private func verified(_ token: String) -> AccessClaims? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let key = keys.first(where: { $0.encodedHeader.dropLast() == parts[0] }),
            let signature = Base64URL.decode(parts[2]), signature.count == 64,
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.publicKey.isValidSignature(ecdsa, for: Data(token.utf8.dropLast(parts[2].utf8.count + 1))),
            let payload = Base64URL.decode(parts[1]),
            let claims = try? JSONDecoder().decode(Payload.self, from: Data(payload)),
            claims.iss == issuer, claims.aud == audience, let user = UUID(uuidString: claims.sub)
        else { return nil }
        return AccessClaims(
            user: user,
            session: claims.sid,
            client: claims.clientID == audience ? nil : claims.clientID,
            issuedAt: Timestamp(milliseconds: Int64(claims.iat * 1000)),
            expiresAt: Timestamp(milliseconds: Int64(claims.exp * 1000)),
            authenticatedAt: Timestamp(milliseconds: Int64((claims.authenticatedAt ?? 0) * 1000))
        )
    }
}
