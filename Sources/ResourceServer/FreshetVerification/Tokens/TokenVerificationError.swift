// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// The first error found in a token.
    @nonexhaustive
    public enum TokenVerificationError: String, Error, Equatable, Sendable, CaseIterable {
        /// The token exceeds the maximum length.
        case tooLarge = "too_large"
        /// The token does not have three parts of base64url, or a part is not a valid JSON object.
        case malformed
        /// The algorithm is not accepted, or is not that of the key.
        case algorithm
        /// The token has a header parameter that changes its meaning.
        ///
        /// See RFC 7515 section 4.1.11, RFC 7797 and RFC 7516 section 4.1.3.
        case critical
        /// The token has another `typ`.
        case type
        /// There is no key with this id.
        case unknownKey = "unknown_key"
        /// The keys are currently unavailable, so the token was not verified.
        case keysUnavailable = "keys_unavailable"
        /// The signature is not valid.
        case signature
        /// The token has another issuer.
        case issuer
        /// The token is not intended for this resource server.
        case audience
        /// The token has expired.
        case expired
        /// The token is not valid yet (`nbf`).
        case notYetValid = "not_yet_valid"
        /// The token was issued in the future.
        case issuedLater = "issued_later"
        /// The subject is missing or not a string.
        case subject
        /// A claim is present but invalid.
        case claims
        /// The token is valid, but its session has ended.
        case sessionEnded = "session_ended"
    }
#endif
