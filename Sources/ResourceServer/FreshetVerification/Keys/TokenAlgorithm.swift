// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The signature algorithms that are understood (RFC 7518 section 3.1, RFC 8037).
package enum TokenAlgorithm: String, Sendable, CaseIterable {
    case es256 = "ES256"
    case rs256 = "RS256"
    case edDSA = "EdDSA"
    /// A shared secret: whoever can verify can sign, so no issuer of ours uses it.
    ///
    /// Known only because published test vectors are written with it.
    case hs256 = "HS256"
}
