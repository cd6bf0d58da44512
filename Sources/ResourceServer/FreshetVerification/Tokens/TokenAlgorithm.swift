// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// The supported signature algorithms (RFC 7518 section 3.1, RFC 8037).
    package enum TokenAlgorithm: String, Sendable, CaseIterable {
        case es256 = "ES256"
        case rs256 = "RS256"
        case edDSA = "EdDSA"
        /// HMAC with a shared secret.
        ///
        /// It is supported only for published test vectors: a verifier can also sign, so no issuer of ours uses it.
        case hs256 = "HS256"
    }
#endif
