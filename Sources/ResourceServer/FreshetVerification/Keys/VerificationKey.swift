// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    package import Crypto
    package import CryptoExtras
    package import Foundation

    /// A public key, which determines the signature algorithm, regardless of the token's header.
    package enum VerificationKey: Sendable {
        case es256(P256.Signing.PublicKey)
        case rs256(_RSA.Signing.PublicKey)
        case edDSA(Curve25519.Signing.PublicKey)
        /// See ``TokenAlgorithm/hs256``.
        case hs256(SymmetricKey)

        package var algorithm: TokenAlgorithm {
            switch self {
            case .es256: .es256
            case .rs256: .rs256
            case .edDSA: .edDSA
            case .hs256: .hs256
            }
        }

        /// Verifies the signature of a token.
        ///
        /// The token's header must name the key's algorithm.
        package func verify(_ token: CompactJWS) throws(TokenVerificationError) {
            guard algorithm.rawValue == token.algorithm else { throw .algorithm }
            guard isValidSignature(token.signature, of: token.signed) else { throw .signature }
        }

        /// Whether `signature`, in the format of JWS, is valid for `message`.
        package func isValidSignature(_ signature: [UInt8], of message: some DataProtocol) -> Bool {
            switch self {
            case .es256(let key):
                // R and S, 32 bytes each (RFC 7518 section 3.4); the library checks their range.
                guard signature.count == 64,
                    let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
                else { return false }
                return key.isValidSignature(signature, for: message)
            case .rs256(let key):
                guard signature.count == (key.keySizeInBits + 7) / 8 else { return false }
                let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
                return key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            case .edDSA(let key):
                return signature.count == 64 && key.isValidSignature(signature, for: message)
            case .hs256(let key):
                return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: message, using: key)
            }
        }
    }
#endif
