// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetEngine
import FreshetJWT
import FreshetWire

/// A verified identity token of Sign in with Apple (OpenID Connect Core section 2).
struct IdentityToken: Equatable, Sendable {
    static let issuer = AppleJWT.issuer

    /// The user's identifier, which is the same in all apps of a developer.
    let subject: String
    /// The email address, if Apple has verified it.
    let email: EmailAddress?
    let issuedAt: Timestamp
    let expiresAt: Timestamp
    /// Identifies the token, to detect replay.
    let digest: [UInt8]

    typealias Fault = AppleJWT.Fault

    /// The maximum lifetime; a later expiry is a time in milliseconds, or another error.
    private static let maximumLifetime: Double = 366 * 86_400

    /// The accepted forms of the token's nonce claim.
    enum NonceForm: Equatable, Sendable {
        /// Only the nonce's SHA-256 in hex, so that the token does not reveal the nonce.
        case digest
        /// The digest or the nonce itself.
        case either
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token (RFC 7519).
    ///   - keys: Apple's keys.
    ///   - audiences: The accepted audiences: the client ids of the apps.
    ///   - nonce: The nonce chosen for this sign-in, if any.
    ///   - form: The accepted forms of the nonce claim.
    ///   - now: The server's time.
    /// - Throws: The first fault found.
    init(
        _ text: String,
        keys: JWKSet,
        audiences: Set<String>,
        nonce: String?,
        form: NonceForm = .either,
        now: Timestamp
    ) throws(Fault) {
        let statement = try AppleJWT(text, keys: keys, audiences: audiences, now: now)
        let claims = statement.claims
        guard let expiry = AppleJWT.seconds("exp", of: claims), now.seconds < expiry,
            expiry <= now.seconds + Self.maximumLifetime
        else {
            throw .expired
        }
        // A nonce on only one side provides no protection.
        guard (nonce == nil) == (claims["nonce"] == nil) else { throw .nonce }
        if let nonce {
            // The device states that it did not pass the nonce on.
            guard claims["nonce_supported"]?.bool != false else { throw .nonce }
            let digest = SHA256.hash(data: Data(nonce.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
            guard let told = claims["nonce"]?.string else { throw .nonce }
            // A digest is readable in the token, so only its preimage is accepted, not the digest itself.
            let isDigest = told.utf8.count == 64 && told.allSatisfy(\.isHexDigit)
            guard told.lowercased() == digest || (form == .either && !isDigest && told == nonce) else { throw .nonce }
        }
        guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count) else { throw .subject }
        // Apple encodes the Boolean as a JSON Boolean or as a string.
        let isVerified = claims["email_verified"]?.bool ?? (claims["email_verified"]?.string == "true")
        self.subject = subject
        email = isVerified ? claims["email"]?.string.flatMap { EmailAddress($0) } : nil
        issuedAt = statement.issuedAt
        expiresAt = Timestamp(milliseconds: Int64(expiry * 1000))
        digest = statement.digest
    }
}
