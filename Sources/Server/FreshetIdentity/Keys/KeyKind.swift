// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The kinds of keys that are rotated.
package enum KeyKind: String, Sendable, CaseIterable, CodingKeyRepresentable, Codable {
    /// Signs access tokens.
    case signing = "es256"
    /// Computes the MACs of refresh tokens.
    case mac

    var suffix: String {
        switch self {
        case .signing: ".pem"
        case .mac: ".key"
        }
    }
}
