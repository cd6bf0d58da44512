// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import CryptoExtras
import Foundation
import FreshetContract
import FreshetWire

@testable import FreshetJWT

/// Makes tokens of real keys, good ones and others.
enum TestTokenIssuer {
    static let now: Double = 1_800_000_000
    static let issuer = "https://issuer.example"
    static let audience = "api"

    static let curve = P256.Signing.PrivateKey()
    static let secondCurve = P256.Signing.PrivateKey()
    static let edwards = Curve25519.Signing.PrivateKey()
    static let rsa = makeRSA()
    /// Keys that the issuer does not publish.
    static let strangerCurve = P256.Signing.PrivateKey()

    private static func makeRSA() -> _RSA.Signing.PrivateKey {
        // Key generation fails only where there is no randomness.
        while true { if let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) { return key } }
    }

    enum Signer { case es, second, stranger, ed, rsa, secret([UInt8]), nobody }

    static func point(_ key: P256.Signing.PublicKey) -> (x: String, y: String) {
        let bytes = key.rawRepresentation
        return (Base64URL.encode(bytes.prefix(32)), Base64URL.encode(bytes.suffix(32)))
    }

    static func curveKey(_ id: String, _ key: P256.Signing.PublicKey, more: String = "") -> String {
        let point = point(key)
        return #"{"kty":"EC","crv":"P-256","kid":"\#(id)","x":"\#(point.x)","y":"\#(point.y)"\#(more)}"#
    }

    static var edwardsKey: String {
        let x = Base64URL.encode(edwards.publicKey.rawRepresentation)
        return #"{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"\#(x)"}"#
    }

    static var rsaKey: String {
        guard let numbers = try? rsa.publicKey.getKeyPrimitives() else { return "{}" }
        let (n, e) = (Base64URL.encode(numbers.modulus), Base64URL.encode(numbers.publicExponent))
        return #"{"kty":"RSA","kid":"rsa","n":"\#(n)","e":"\#(e)","alg":"RS256"}"#
    }

    static func set(_ keys: String...) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

    static let published = set(
        curveKey("es", curve.publicKey, more: #","use":"sig","alg":"ES256""#),
        curveKey("second", secondCurve.publicKey),
        edwardsKey,
        rsaKey,
        #"{"kty":"new","kid":"later"}"#
    )

    static func signature(_ message: String, _ signer: Signer) throws -> [UInt8] {
        let data = Data(message.utf8)
        return switch signer {
        case .es: Array(try curve.signature(for: data).rawRepresentation)
        case .second: Array(try secondCurve.signature(for: data).rawRepresentation)
        case .stranger: Array(try strangerCurve.signature(for: data).rawRepresentation)
        case .ed: Array(try edwards.signature(for: data))
        case .rsa:
            Array(
                try rsa.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5).rawRepresentation
            )
        case .secret(let key):
            Array(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
        case .nobody: []
        }
    }

    static func token(_ header: String, _ payload: String, by signer: Signer = .es) throws -> String {
        try token(Array(header.utf8), Array(payload.utf8), by: signer)
    }

    static func token(_ header: [UInt8], _ payload: [UInt8], by signer: Signer = .es) throws -> String {
        try joined(Base64URL.encode(header), Base64URL.encode(payload), by: signer)
    }

    /// Signs two parts as they stand.
    static func joined(_ header: String, _ payload: String, by signer: Signer = .es) throws -> String {
        let signed = header + "." + payload
        return signed + "." + Base64URL.encode(try signature(signed, signer))
    }

    static let header = #"{"alg":"ES256","typ":"at+jwt","kid":"es"}"#

    static func header(_ alg: String = #""ES256""#, kid: String = #""es""#, more: String = "") -> String {
        #"{"alg":\#(alg),"typ":"at+jwt","kid":\#(kid)\#(more)}"#
    }

    /// A payload in which members were replaced (`nil` takes one away) or added.
    static func payload(_ changes: KeyValuePairs<String, String?> = [:]) -> String {
        var members = [
            ("iss", #""\#(issuer)""#), ("aud", #""\#(audience)""#), ("sub", #""ann""#), ("exp", "1800000600"),
            ("iat", "1800000000"), ("sid", #""s1""#), ("jti", #""j""#), ("client_id", #""app""#),
        ]
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    static func verifier(_ keys: String = published) throws -> TokenVerifier {
        let set = try JWKSet(Array(keys.utf8))
        return TokenVerifier(TokenRules(issuer: issuer, audience: audience), keys: .fixed(set), now: { now })
    }

    /// Why a token is refused; `nil` for a good one.
    static func fault(_ token: String, keys: String = published) async throws -> TokenVerificationError? {
        let verifier = try verifier(keys)
        do throws(TokenVerificationError) {
            _ = try await verifier.verify(token)
            return nil
        } catch {
            return error
        }
    }

    /// Why a token with these claims is refused.
    static func fault(claims changes: KeyValuePairs<String, String?>) async throws -> TokenVerificationError? {
        try await fault(try token(header, payload(changes)))
    }
}
