// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    import Crypto
    import CryptoExtras
    package import FreshetContract
    import FreshetWire

    extension VerificationKey {
        /// The accepted sizes of RSA keys (RFC 7518 section 3.3); longer keys are too slow to use.
        static let modulusBits = 2048...8192
        /// The accepted lengths of a shared secret: at least that of the hash (RFC 7518 section 3.2).
        static let secretBytes = 32...1024

        /// Parses one key of a set (RFC 7517 section 4).
        ///
        /// - Returns: `nil` for a key of another type or for another use, one with its private key, or an invalid one.
        package init?(_ jwk: JSONObject, allowsSharedSecrets: Bool = false) {
            guard Self.isForVerifying(jwk), let key = Self.key(jwk, allowsSharedSecrets) else { return nil }
            guard jwk["alg"].map({ $0.string == key.algorithm.rawValue }) ?? true else { return nil }
            self = key
        }

        private static func isForVerifying(_ jwk: JSONObject) -> Bool {
            if let use = jwk["use"], use.string != "sig" { return false }
            guard let operations = jwk["key_ops"] else { return true }
            let names = operations.array?.compactMap(\.string) ?? []
            return names.contains("verify") && Set(names).count == operations.array?.count
        }

        private static func key(_ jwk: JSONObject, _ allowsSharedSecrets: Bool) -> VerificationKey? {
            func bytes(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap { Base64URL.decode($0) } }
            let kind = jwk["kty"]?.string
            // A published private key is compromised.
            guard kind == "oct" || jwk["d"] == nil else { return nil }
            switch kind {
            case "EC":
                guard jwk["crv"]?.string == "P-256", let x = bytes("x"), let y = bytes("y"), x.count == 32,
                    y.count == 32,
                    let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
                else { return nil }
                return .es256(key)
            case "RSA":
                guard let modulus = bytes("n"), let exponent = bytes("e"), modulus.first != 0,
                    modulusBits.contains(modulus.count * 8), isExponent(exponent),
                    let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent),
                    modulusBits.contains(key.keySizeInBits)
                else { return nil }
                return .rs256(key)
            case "OKP":
                guard jwk["crv"]?.string == "Ed25519", let x = bytes("x"), x.count == 32, !SmallOrderPoints.contains(x),
                    let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
                else { return nil }
                return .edDSA(key)
            case "oct" where allowsSharedSecrets:
                guard let secret = bytes("k"), secretBytes.contains(secret.count) else { return nil }
                return .hs256(SymmetricKey(data: secret))
            default: return nil
            }
        }

        /// Whether an RSA exponent is an odd number greater than one, of at most four bytes.
        private static func isExponent(_ bytes: [UInt8]) -> Bool {
            guard (1...4).contains(bytes.count), bytes.first != 0, let last = bytes.last, last & 1 == 1 else {
                return false
            }
            return bytes != [1]
        }
    }
#endif
