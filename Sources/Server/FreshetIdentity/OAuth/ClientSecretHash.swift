// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

/// The hash of a client's secret in the registry.
///
/// A generated secret is long and random, so a fast hash is enough; a secret chosen by hand needs scrypt.
package enum ClientSecretHash: Equatable, Sendable, Masked {
    /// `sha256:` and 64 hexadecimal digits.
    case sha256([UInt8])
    /// A PHC string, `$scrypt$ln=15,r=8,p=1$salt$hash`.
    case scrypt(String)

    var mask: String {
        switch self {
        case .sha256: "sha256:•••"
        case .scrypt: "$scrypt$•••"
        }
    }

    /// Parses the `secret` of a registry.
    init?(_ text: String) {
        if text.hasPrefix("$scrypt$") {
            guard ScryptParameters(phc: text) != nil else { return nil }
            self = .scrypt(text)
            return
        }
        guard text.hasPrefix("sha256:") else { return nil }
        let digits = Array(text.utf8.dropFirst("sha256:".utf8.count))
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { start -> UInt8? in
            let pair = digits[start..<start + 2]
            guard pair.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
            return UInt8(String(decoding: pair, as: UTF8.self), radix: 16)
        }
        guard bytes.count == 32 else { return nil }
        self = .sha256(bytes)
    }

    /// Hashes a generated secret.
    package init(of secret: String) {
        self = .sha256(Array(SHA256.hash(data: Data(secret.utf8))))
    }

    /// The hash in the format of the registry.
    package var text: String {
        switch self {
        case .scrypt(let phc): phc
        case .sha256(let bytes):
            "sha256:" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
