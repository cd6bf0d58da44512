// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import IdentityFixtures
import Testing

@testable import FreshetIdentity

@Suite struct `Access tokens` {
    let key = P256.Signing.PrivateKey()
    let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func signer(_ key: P256.Signing.PrivateKey) throws -> AccessTokenSigner {
        try AccessTokenSigner(key: key, issuer: "https://i.example/\"x", audience: "api")
    }

    private func verifier(issuer: String = "https://i.example/\"x", audience: String = "api") throws
        -> AccessTokenVerifier
    {
        try AccessTokenVerifier(keys: [key], issuer: issuer, audience: audience)
    }

    private var claims: AccessClaims {
        AccessClaims(user: UUID(), session: .random(), issuedAt: now, expiresAt: now + .seconds(600))
    }

    @Test func `a valid access token is accepted repeatedly until it expires`() throws {
        let (claims, verifier) = (claims, try verifier())
        let token = try signer(key).sign(claims)
        #expect(verifier.claims(of: token, now: now) == claims)
        #expect(verifier.claims(of: token, now: now + .seconds(599)) == claims)
        #expect(verifier.claims(of: token, now: now + .seconds(600)) == nil)
    }

    @Test func `an access token of another key, issuer or audience is refused`() throws {
        let token = try signer(key).sign(claims)
        #expect(try verifier().claims(of: signer(P256.Signing.PrivateKey()).sign(claims), now: now) == nil)
        #expect(try verifier(issuer: "other").claims(of: token, now: now) == nil)
        #expect(try verifier(audience: "other").claims(of: token, now: now) == nil)
    }

    @Test func `an access token with any changed, added or missing character is refused`() throws {
        let verifier = try verifier()
        let token = try signer(key).sign(claims)
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(verifier.claims(of: changed, now: now) == nil)
        }
        for changed in [token + "A", String(token.dropLast()), token + ".", "." + token, token + "=", token + "\n", ""]
        {
            #expect(verifier.claims(of: changed, now: now) == nil)
        }
    }

    @Test func `both forms of an access token's ECDSA signature are accepted and share one cache entry`() throws {
        let (claims, verifier) = (claims, try verifier())
        let token = try signer(key).sign(claims)
        let twin = try MalleableSignature.twin(of: token)
        #expect(twin != token && twin.utf8.count == token.utf8.count)
        #expect(try MalleableSignature.twin(of: twin) == token)
        for text in [token, twin, token, twin, twin] { #expect(verifier.claims(of: text, now: now) == claims) }
        #expect(verifier.rememberedCount == 1)
        // A cached token does not make another signature over the same header and payload valid.
        let signed = token.split(separator: ".").dropLast().joined(separator: ".")
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 64))
        let other = try signer(P256.Signing.PrivateKey()).sign(claims).split(separator: ".")[2]
        for signature in ["", zero, String(other)] {
            #expect(verifier.claims(of: "\(signed).\(signature)", now: now) == nil)
        }
        #expect(verifier.claims(of: twin, now: now + .seconds(600)) == nil)
    }

    @Test func `expired access tokens are removed from the cache, and valid access tokens stay`() throws {
        let (verifier, signer) = (try verifier(), try signer(key))
        let lasting = try (0..<600).map { _ in
            var long = claims
            long.expiresAt = now + .seconds(2002)
            return try signer.sign(long)
        }
        for token in lasting { #expect(verifier.claims(of: token, now: now) != nil) }
        // Each has expired when the next one comes.
        for second in 1...2000 {
            var short = claims
            short.expiresAt = now + .seconds(second + 1)
            #expect(try verifier.claims(of: signer.sign(short), now: now + .seconds(second)) != nil)
        }
        let count = verifier.rememberedCount
        #expect(count <= 2 * (lasting.count + 1))
        for token in lasting { #expect(verifier.claims(of: token, now: now) != nil) }
        #expect(verifier.rememberedCount == count, "one that had left would be cached again")
    }

    @Test func `an access token without an algorithm, or with an HMAC under the public key, is refused`() throws {
        let parts = try signer(key).sign(claims).split(separator: ".")
        let none = Base64URL.encode(#"{"alg":"none","typ":"at+jwt"}"#.utf8)
        #expect(try verifier().claims(of: "\(none).\(parts[1]).", now: now) == nil)
        let header = Base64URL.encode(#"{"alg":"HS256","typ":"at+jwt"}"#.utf8)
        for secret in [key.publicKey.pemRepresentation.utf8.map { $0 }, Array(key.publicKey.rawRepresentation)] {
            let mac = HMAC<SHA256>.authenticationCode(
                for: Data("\(header).\(parts[1])".utf8),
                using: SymmetricKey(data: secret)
            )
            #expect(try verifier().claims(of: "\(header).\(parts[1]).\(Base64URL.encode(Array(mac)))", now: now) == nil)
        }
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 64))
        #expect(try verifier().claims(of: "\(parts[0]).\(parts[1]).\(zero)", now: now) == nil)
    }
}
