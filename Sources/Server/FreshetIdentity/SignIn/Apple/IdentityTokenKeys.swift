// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
package import CryptoExtras
package import Foundation
import FreshetContract
import FreshetWire

/// Public keys that identity tokens are signed with, by their ids.
package struct IdentityTokenKeys: Sendable {
    /// A key decides its algorithm; a token never does.
    package enum Key: Sendable {
        case es256(P256.Signing.PublicKey)
        case rs256(_RSA.Signing.PublicKey)

        /// As a token's header names it (RFC 7518 section 3.1).
        var algorithm: String {
            switch self {
            case .es256: "ES256"
            case .rs256: "RS256"
            }
        }

        func isValidSignature(_ signature: [UInt8], of message: Data) -> Bool {
            switch self {
            case .es256(let key):
                guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
                    return false
                }
                return key.isValidSignature(signature, for: message)
            case .rs256(let key):
                let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
                return key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            }
        }
    }

    /// Shorter RSA keys sign nothing here (RFC 7518 section 3.3).
    private static let leastModulusBits = 2048

    private let keys: [String: Key]

    /// Reads a key set (RFC 7517); keys of other kinds and for other uses are passed over.
    ///
    /// - Throws: ``Unreadable`` if nothing in it can be used.
    package init(jwks: Data) throws(Unreadable) {
        guard let set = try? JSONParser.parse(jwks), let items = set.object?["keys"]?.array else { throw Unreadable() }
        var keys: [String: Key] = [:]
        for item in items.compactMap(\.object) {
            guard let id = item["kid"]?.text, item["use"].map({ $0.string == "sig" }) ?? true else { continue }
            if let key = Self.key(item), item["alg"].map({ $0.string == key.algorithm }) ?? true { keys[id] = key }
        }
        guard !keys.isEmpty else { throw Unreadable() }
        self.keys = keys
    }

    /// A file that holds no key set with a usable key.
    package struct Unreadable: Error {}

    subscript(id: String) -> Key? { keys[id] }

    private static func key(_ item: JSONObject) -> Key? {
        func bytes(_ name: String) -> [UInt8]? { item[name]?.string.flatMap { Base64URL.decode($0) } }
        switch item["kty"]?.string {
        case "EC":
            guard item["crv"]?.string == "P-256", let x = bytes("x"), let y = bytes("y"), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            return .es256(key)
        case "RSA":
            guard let modulus = bytes("n"), let exponent = bytes("e"),
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent), key.keySizeInBits >= leastModulusBits
            else { return nil }
            return .rs256(key)
        default: return nil
        }
    }
}
