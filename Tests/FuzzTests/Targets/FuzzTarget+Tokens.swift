// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetJWT
import FreshetWire

@testable import FreshetIdentity
@testable import FreshetKit

extension FuzzTarget {
    // MARK: Refresh tokens

    /// Reads the input as text and as a token's bytes; what is accepted must be written alike.
    static func checkRefreshToken(_ input: [UInt8]) throws -> Bool {
        var isAccepted = false
        let texts = [String(decoding: input, as: UTF8.self), RefreshToken.prefix + Base64URL.encode(input)]
        for text in texts {
            try checkBase64(text)
            if let id = SessionID(text) { try require(id.description == text.lowercased(), "\(id) of \(text)") }
            if let intent = Intent(text) { try require(intent.text.hasSameBytes(as: text), "another intent") }
            guard let token = try? RefreshToken(text) else { continue }
            isAccepted = true
            try require(token.text.hasSameBytes(as: text), "the token is written as \(token.text)")
            try require(token.mac.count == RefreshToken.macLength, "\(token.mac.count) bytes of MAC")
            try require(token.body.bytes.count <= RefreshTokenPayload.maximumLength, "the payload is too long")
        }
        return isAccepted
    }

    /// Compares the decoder with Foundation's.
    private static func checkBase64(_ text: String) throws {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let foundation = text.utf8.contains { "+/=".utf8.contains($0) } ? nil : Data(base64Encoded: standard + padding)
        guard let bytes = Base64URL.decode(text) else {
            // Foundation ignores unused bits.
            return try require(foundation.map { !Base64URL.encode($0).hasSameBytes(as: text) } ?? true, "refused")
        }
        try require(foundation.map(Array.init) == bytes, "Foundation reads \(foundation?.count ?? -1) bytes")
        try require(Base64URL.encode(bytes).hasSameBytes(as: text), "the bytes have another text")
    }

    // MARK: JWTs

    private static let rules = TokenRules(issuer: "https://a.example", audience: "api")
    private static let now = 1_800_000_000.0

    /// Reads the input as a token; or its lines as header and claims, without a valid signature.
    static func checkJWT(_ input: [UInt8]) throws -> Bool {
        let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        let joined = parts.map { Base64URL.encode($0) }.joined(separator: ".")
        var isAccepted = false
        for text in [String(decoding: input, as: UTF8.self), joined] {
            let unverified = UnverifiedJWT(text)
            _ = JWTTimes(text)?.lifetime(serverTime: now)
            guard let token = try? CompactJWS(text, limit: 16_384) else { continue }
            try require(text.utf8.starts(with: token.signed), "the signature covers other bytes")
            let signed = Base64URL.encode(Array(token.header.jsonBytes)) + "." + Base64URL.encode(token.payload)
            try require(signed.utf8.count <= 6 * text.utf8.count + 8, "the token grows")
            try checkSignature(of: token)
            _ = try? rules.check(header: token)
            guard let claims = try? rules.claims(of: token.payload, now: now) else { continue }
            isAccepted = true
            try require(claims.issuer == rules.issuer && claims.audiences.contains(rules.audience), "another issuer")
            let latest = now + rules.maximumTokenLifetime + rules.leeway
            try require((now - rules.leeway...latest).contains(claims.expiresAt), "expires at \(claims.expiresAt)")
            try require(!claims.subject.isEmpty, "no subject")
            // The client reads the same claims.
            let client = try require(unverified, "the client cannot read it")
            try require(client.subject.map { claims.subject.hasSameBytes(as: $0) } ?? false, "another subject")
            try require(client.seconds("exp") == claims.expiresAt, "another expiry")
            let other = try? JSONSerialization.jsonObject(with: Data(token.payload)) as? [String: Any]
            if !token.payload.contains(0), let subject = other?["sub"] as? String {
                try require(claims.subject.hasSameBytes(as: subject), "Foundation reads another subject")
            }
        }
        return isAccepted
    }

    private static let keys = try? JWKSet(
        Array(
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},{"kty":"EC","crv":"P-256","kid":"b","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#
                .utf8
        )
    )

    /// No signature in an input can be valid: the fuzzer has no private key.
    private static func checkSignature(of token: CompactJWS) throws {
        let keys = try require(keys, "the keys cannot be read")
        for id in ["a", "b"] {
            let key = try require(keys[id], "key \(id) is missing")
            try require((try? key.verify(token)) == nil, "a forged signature is valid")
        }
    }

    // MARK: Keys

    /// Reads a key set, and compares its keys with those that Foundation reads.
    static func checkKeySet(_ input: [UInt8]) throws -> Bool {
        guard let set = try? JWKSet(input) else { return false }
        try require((1...JWKSet.maximumKeys).contains(set.count), "\(set.count) keys")
        let value = try require(noThrow: { try JSONParser.parse(input) })
        let items = (value.object?["keys"]?.array ?? []).compactMap(\.object)
        let ids = items.compactMap { $0["kid"]?.string }
        try require(Set(ids.map { Array($0.utf8) }).count == ids.count, "two keys have one id")
        var found = 0
        for item in items {
            guard let id = item["kid"]?.string, let key = set[id] else { continue }
            found += 1
            try require(key.algorithm != .hs256, "a shared secret is a key")
            try require(item["use"]?.string.map { $0 == "sig" } ?? true, "a key for another use")
            try require(item["alg"]?.string.map { $0 == key.algorithm.rawValue } ?? true, "a key for another algorithm")
        }
        try require(found == set.count, "\(set.count) keys, but \(found) in the document")
        return true
    }

    /// Reads key material, and again what is written of it in both formats.
    static func checkKeyDocument(_ input: [UInt8]) throws -> Bool {
        guard let text = String(utf8: input), let document = try? KeyDocument(text) else {
            return false
        }
        for name in ["mac", "code"] {
            for (_, secret) in document.secrets[name] ?? [:] { try require(secret.count >= 32, "a short secret") }
        }
        var pem = ""
        var keys: [String] = []
        for (id, key) in document.signing.sorted(by: { $0.key < $1.key }) {
            pem += "es256-\(id)\n\(key)\n"
            let parsed = try require(noThrow: { try P256.Signing.PrivateKey(pemRepresentation: key) })
            let jwk = JSONWebKey(parsed.publicKey)
            let secret = Base64URL.encode(Array(parsed.rawRepresentation))
            keys.append(
                #"{"kid":"es256-\#(id)","kty":"EC","crv":"P-256","d":"\#(secret)","x":"\#(jwk.x)","y":"\#(jwk.y)"}"#
            )
        }
        if !pem.isEmpty {
            let again = try require(noThrow: { try KeyDocument(pem) })
            try require(again.signing == document.signing, "other keys in PEM")
        }
        for (name, secrets) in document.secrets {
            for (id, secret) in secrets {
                keys.append(#"{"kid":"\#(name)-\#(id)","kty":"oct","k":"\#(Base64URL.encode(secret))"}"#)
            }
        }
        let inUse = document.inUse.map { #""\#($0.key.rawValue)":\#($0.value)"# }.joined(separator: ",")
        let set = #"{"keys":[\#(keys.joined(separator: ","))],"in_use":{\#(inUse)}}"#
        let again = try require(noThrow: { try KeyDocument(set) })
        try require(again == document, "another document as a JWK set")
        try require(noThrow: { try again.check(follows: document) })
        return true
    }
}

extension JSONObject {
    fileprivate var jsonBytes: String.UTF8View { JSONValue.object(self).jsonText.utf8 }
}
