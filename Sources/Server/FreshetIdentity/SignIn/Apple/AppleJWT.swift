// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire

/// Something that Apple signed for one of our apps (RFC 7515, RFC 7519): an identity token, or a notice.
package struct AppleJWT: Sendable {
    static let issuer = "https://appleid.apple.com"
    /// Longer ones are refused unread.
    static let maximumLength = 8192
    /// How far Apple's clock and ours may differ.
    static let clockSkew = Duration.seconds(60)

    let claims: JSONObject
    let issuedAt: Timestamp
    /// Of what was signed: some signatures can be written in two ways.
    let digest: [UInt8]

    /// Why it says nothing.
    package enum Fault: String, Error {
        case malformed, signature, issuer, audience, expired, issuedLater, nonce, subject

        /// Whether a clock that is wrong finds it.
        var dependsOnClock: Bool { self == .expired || self == .issuedLater }
    }

    /// Verifies who said it, to whom, and that it was not said later than now.
    init(_ text: String, keys: IdentityTokenKeys, audiences: Set<String>, now: Timestamp) throws(Fault) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumLength, parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        let signed = Data(text.utf8.dropLast(parts[2].utf8.count + 1))
        // The key is found by its id, and the header must name the key's own algorithm: "none" and HS256 find none.
        // RFC 7515 section 4.1.11: whoever does not understand a critical field refuses the token.
        guard header["crit"] == nil, let id = header["kid"]?.string, let key = keys[id],
            header["alg"]?.string == key.algorithm, key.isValidSignature(signature, of: signed)
        else { throw .signature }
        guard claims["iss"]?.string == Self.issuer else { throw .issuer }
        let meant = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
        guard !audiences.isDisjoint(with: meant) else { throw .audience }
        let latest = (now + Self.clockSkew).seconds
        guard let issuedAt = Self.seconds(claims["iat"]), issuedAt <= latest, issuedAt >= 0 else { throw .issuedLater }
        self.claims = claims
        self.issuedAt = Timestamp(milliseconds: Int64(issuedAt * 1000))
        digest = Array(SHA256.hash(data: signed))
    }

    /// The key that a statement names, read before anything is verified: only for finding out whether it is known.
    static func keyID(of text: String) -> String? {
        guard text.utf8.count <= maximumLength, let header = text.split(separator: ".").first else { return nil }
        return object(header)?["kid"]?.string
    }

    static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONParser.parse(bytes) else { return nil }
        return value.object
    }

    /// NumericDate of RFC 7519; a text is none.
    static func seconds(_ value: JSONValue?) -> Double? {
        if case .number(let number)? = value { number.double } else { nil }
    }
}
