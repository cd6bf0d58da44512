// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import CryptoExtras
import Foundation
import FreshetWire

/// The parameters in a PHC string of scrypt, before the hash.
struct ScryptParameters {
    var logN: Int
    var salt: [UInt8]

    init(logN: Int, salt: [UInt8]) {
        self.logN = logN
        self.salt = salt
    }

    /// Parses a PHC string; `nil` if no password has this hash.
    init?(phc: String) {
        let parts = phc.unicodeScalars.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", parts[2].hasPrefix("ln="),
            let logN = Int(parts[2].dropFirst(3).dropLast(8)), parts[2] == "ln=\(logN),r=8,p=1",
            (4...20).contains(logN), let salt = Base64URL.decode(parts[3]), Base64URL.decode(parts[4])?.count == 32
        else { return nil }
        self.init(logN: logN, salt: salt)
    }

    /// Hashes a password.
    func phc(of password: String) throws -> String {
        // Unicode has several encodings of the same text, so passwords are compared in one normalization form.
        let text = password.precomposedStringWithCompatibilityMapping
        let hash = try KDF.Scrypt.deriveKey(
            from: Data(text.utf8),
            salt: Data(salt),
            outputByteCount: 32,
            rounds: 1 << logN,
            blockSize: 8,
            parallelism: 1
        )
        let bytes = hash.withUnsafeBytes { Array($0) }
        return "$scrypt$ln=\(logN),r=8,p=1$\(Base64URL.encode(salt))$\(Base64URL.encode(bytes))"
    }
}
