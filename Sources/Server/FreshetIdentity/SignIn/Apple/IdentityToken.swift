// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
package import FreshetEngine
import FreshetVerification
import FreshetWire

/// What Apple says of a person, verified: Sign in with Apple's identity token (OpenID Connect Core section 2).
package struct IdentityToken: Equatable, Sendable {
    package static let issuer = AppleJWT.issuer

    /// Who it is, for ever the same for one developer.
    package let subject: String
    /// Only if Apple verified it.
    package let email: EmailAddress?
    package let expiresAt: Timestamp
    /// Tells this token from all others.
    package let digest: [UInt8]

    package typealias Fault = AppleJWT.Fault

    /// A later expiry is a time in milliseconds, or another mistake.
    private static let maximumLifetime: Double = 366 * 86_400

    /// How Apple may have been told the nonce.
    enum NonceForm: Equatable, Sendable {
        /// Its SHA-256 in hex alone: what stands in the token shows nobody the nonce.
        case digest
        /// As it is, too.
        case either
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token (RFC 7519).
    ///   - keys: Apple's keys.
    ///   - audiences: The apps that it may be meant for.
    ///   - nonce: What was chosen for this sign-in, if anything was.
    ///   - form: How Apple may have been told it.
    ///   - now: The server's time.
    /// - Throws: The first thing that is wrong with it.
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
        // One of the two without the other protects nothing.
        guard (nonce == nil) == (claims["nonce"] == nil) else { throw .nonce }
        if let nonce {
            // The device says that it did not pass the nonce on.
            guard claims["nonce_supported"]?.bool != false else { throw .nonce }
            let digest = SHA256.hash(data: Data(nonce.utf8)).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
            guard let told = claims["nonce"]?.string else { throw .nonce }
            // A digest stands in the token for all to read: what it was made from must be shown, and not itself again.
            let isDigest = told.utf8.count == 64 && told.allSatisfy(\.isHexDigit)
            guard told.lowercased() == digest || (form == .either && !isDigest && told == nonce) else { throw .nonce }
        }
        guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count) else { throw .subject }
        // Apple has written the truth value both ways.
        let isVerified = claims["email_verified"]?.bool ?? (claims["email_verified"]?.string == "true")
        self.subject = subject
        email = isVerified ? claims["email"]?.string.flatMap { EmailAddress($0) } : nil
        expiresAt = Timestamp(milliseconds: Int64(expiry * 1000))
        digest = statement.digest
    }
}
