// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire

/// What Apple says of a person, verified: Sign in with Apple's identity token (OpenID Connect Core section 2).
struct IdentityToken: Equatable, Sendable {
    static let issuer = "https://appleid.apple.com"
    /// Longer tokens are refused unread.
    static let maximumLength = 8192
    /// How far Apple's clock and ours may differ.
    static let clockSkew = Duration.seconds(60)

    /// Who it is, for ever the same for one developer.
    var subject: String
    /// Only if Apple verified it.
    var email: EmailAddress?

    /// Why a token says nothing.
    enum Fault: String, Error {
        case malformed, signature, issuer, audience, expired, issuedLater, nonce, subject
    }

    private init(subject: String, email: EmailAddress?) {
        self.subject = subject
        self.email = email
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token (RFC 7519).
    ///   - keys: Apple's keys.
    ///   - audiences: The apps that it may be meant for.
    ///   - nonce: What the app chose for this sign-in, if it chose anything; Apple gets it as it is or its SHA-256 in hex.
    ///   - now: The server's time.
    /// - Throws: The first thing that is wrong with it.
    init(
        _ text: String,
        keys: IdentityTokenKeys,
        audiences: Set<String>,
        nonce: String?,
        now: Timestamp
    ) throws(Fault) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumLength, parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        // The key is found by its id, and the header must name the key's own algorithm: "none" and HS256 find none.
        // RFC 7515 section 4.1.11: whoever does not understand a critical field refuses the token.
        guard header["crit"] == nil, let id = header["kid"]?.string, let key = keys[id],
            header["alg"]?.string == key.algorithm,
            key.isSignature(signature, of: Data(text.utf8.dropLast(parts[2].utf8.count + 1)))
        else { throw .signature }
        guard claims["iss"]?.string == Self.issuer else { throw .issuer }
        let meant = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
        guard !audiences.isDisjoint(with: meant) else { throw .audience }
        guard let expiry = Self.seconds(claims["exp"]), now.seconds < expiry else { throw .expired }
        let latest = (now + Self.clockSkew).seconds
        guard let issuedAt = Self.seconds(claims["iat"]), issuedAt <= latest else { throw .issuedLater }
        // One of the two without the other protects nothing.
        guard (nonce == nil) == (claims["nonce"] == nil) else { throw .nonce }
        if let nonce {
            let digest = SHA256.hash(data: Data(nonce.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
            guard let told = claims["nonce"]?.string else { throw .nonce }
            // A digest stands in the token for all to read: what it was made from must be shown, and not itself again.
            let isDigest = told.utf8.count == 64 && told.allSatisfy(\.isHexDigit)
            guard told.lowercased() == digest || (!isDigest && told == nonce) else { throw .nonce }
        }
        guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count) else { throw .subject }
        // Apple has written the truth value both ways.
        let isVerified = claims["email_verified"]?.bool ?? (claims["email_verified"]?.string == "true")
        self.init(subject: subject, email: isVerified ? claims["email"]?.string.flatMap { EmailAddress($0) } : nil)
    }

    private static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONReader.read(bytes) else { return nil }
        return value.object
    }

    /// NumericDate of RFC 7519; a text is none.
    private static func seconds(_ value: JSONValue?) -> Double? {
        if case .number(let number)? = value { number.double } else { nil }
    }
}
