// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation

/// One-way digests by which a database knows keys again that lie outside it.
///
/// They are no help to a forger: of a key with 256 random bits nothing can be found from its HMAC, and no token's MAC is over a
/// text that begins like these.
enum KeyFingerprint {
    /// The digest of a shared secret, a different one for each kind.
    static func of(_ secret: [UInt8], kind: String) -> [UInt8] {
        let label = Data("freshet-key-fingerprint \(kind)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: label, using: SymmetricKey(data: secret)))
    }

    /// The digest of a signing key's public half.
    static func of(_ key: P256.Signing.PrivateKey) -> [UInt8] {
        Array(SHA256.hash(data: key.publicKey.rawRepresentation))
    }
}
