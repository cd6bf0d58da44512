// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation

/// One-way digests by which a database identifies keys that are stored outside it.
///
/// They are of no use to an attacker: the HMAC under a key of 256 random bits does not reveal the key, and no token's
/// MAC covers a text with this prefix.
enum KeyFingerprint {
    /// Returns the digest of a shared secret, different for each kind.
    static func of(_ secret: [UInt8], kind: String) -> [UInt8] {
        let label = Data("freshet-key-fingerprint \(kind)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: label, using: SymmetricKey(data: secret)))
    }

    /// Returns the digest of a signing key's public key.
    static func of(_ key: P256.Signing.PrivateKey) -> [UInt8] {
        Array(SHA256.hash(data: key.publicKey.rawRepresentation))
    }
}
