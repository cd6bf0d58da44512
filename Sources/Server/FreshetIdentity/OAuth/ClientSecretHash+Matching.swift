// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation

extension ClientSecretHash {
    /// Whether `secret` matches; the time does not depend on the position of a difference.
    func matches(_ secret: String, hasher: PasswordHasher) async throws -> Bool {
        switch self {
        case .sha256(let bytes): SHA256.hash(data: Data(secret.utf8)) == Data(bytes)
        case .scrypt(let phc): try await hasher.verify(secret, against: phc).isRight
        }
    }
}
