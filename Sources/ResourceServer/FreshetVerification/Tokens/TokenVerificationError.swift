// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a token is refused: the first thing that is wrong with it.
package enum TokenVerificationError: String, Error, Equatable, Sendable, CaseIterable {
    /// Longer than any token that is read here.
    case tooLarge = "too_large"
    /// Not three parts of base64url, or not JSON objects of the shape that tokens have.
    case malformed
    /// An algorithm that is not on the list, or not the key's own.
    case algorithm
    /// A header field that changes what the token means (RFC 7515 section 4.1.11, RFC 7797, RFC 7516 section 4.1.3).
    case critical
    /// Another kind of token.
    case type
    /// No key of that id, as far as is known.
    case unknownKey = "unknown_key"
    /// The keys cannot be had now: no verdict on the token.
    case keysUnavailable = "keys_unavailable"
    case signature
    case issuer
    case audience
    case expired
    case notYetValid = "not_yet_valid"
    /// Issued in the future.
    case issuedLater = "issued_later"
    /// Its subject is missing or no text.
    case subject
    /// A claim that is there and is not what it must be.
    case claims
    /// Good in itself; its session is over.
    case sessionEnded = "session_ended"
}
