// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    import FreshetContract

    /// An issuer's public keys by id (RFC 7517 section 5).
    package struct JWKSet: Sendable {
        /// The maximum length of a key set in bytes.
        package static let maximumLength = 262_144
        package static let maximumKeys = 100

        /// The keys by the bytes of their ids.
        ///
        /// Strings are not used, because Swift compares them by canonical equivalence.
        private let keys: [[UInt8]: VerificationKey]

        /// The reason that a key set is refused.
        package enum Fault: Error, Equatable, Sendable {
            case unreadable
            /// Two keys have the same id, which makes it ambiguous.
            case duplicateID
            /// The set has no key that can verify a token.
            case empty
        }

        /// Parses a key set; ignores keys of other types and for other uses.
        ///
        /// - Parameters:
        ///   - bytes: JSON text.
        ///   - algorithms: The accepted algorithms; keys of other algorithms are ignored.
        ///   - allowsSharedSecrets: Whether shared secrets are accepted, which is only for test vectors: a verifier of
        ///     HMACs can also sign.
        /// - Throws: A ``Fault``; the whole set is refused.
        package init(
            _ bytes: [UInt8],
            algorithms: Set<TokenAlgorithm> = [.es256, .rs256, .edDSA],
            allowsSharedSecrets: Bool = false
        ) throws(Fault) {
            guard bytes.count <= Self.maximumLength, let set = try? JSONParser.parse(bytes),
                let items = set.object?["keys"]?.array, items.count <= Self.maximumKeys
            else { throw .unreadable }
            var ids: Set<[UInt8]> = []
            var keys: [[UInt8]: VerificationKey] = [:]
            for item in items.compactMap(\.object) {
                guard let text = item["kid"]?.string else { continue }
                let id = Array(text.utf8)
                guard ids.insert(id).inserted else { throw .duplicateID }
                guard let key = VerificationKey(item, allowsSharedSecrets: allowsSharedSecrets),
                    algorithms.contains(key.algorithm) || key.algorithm == .hs256
                else { continue }
                keys[id] = key
            }
            guard !keys.isEmpty else { throw .empty }
            self.keys = keys
        }

        /// Returns the key of an id; the id is only used for the lookup.
        package subscript(id: String) -> VerificationKey? { keys[Array(id.utf8)] }

        package var count: Int { keys.count }
    }
#endif
