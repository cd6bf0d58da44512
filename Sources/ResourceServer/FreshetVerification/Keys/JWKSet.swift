// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract

/// An issuer's public keys by their ids (RFC 7517 section 5).
package struct JWKSet: Sendable {
    /// A longer text is no key set.
    package static let maximumLength = 262_144
    package static let maximumKeys = 100

    /// By the bytes of their ids: Swift's strings are equal if they look the same.
    private let keys: [[UInt8]: VerificationKey]

    /// Why a text is no key set.
    package enum Fault: Error, Equatable, Sendable {
        case unreadable
        /// One id names two keys, so that it names none.
        case duplicateID
        /// Nothing in it can verify a token.
        case empty
    }

    /// Reads a key set; keys of other kinds and for other uses are passed over.
    ///
    /// - Parameters:
    ///   - bytes: JSON text.
    ///   - algorithms: The algorithms of the keys that are used; keys of others are ignored.
    ///   - allowsSharedSecrets: Whether secrets stand in it, for test vectors; whoever verifies with one can sign.
    /// - Throws: A ``Fault``: nothing of such a set is used.
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

    /// The key of an id, which is nothing but a name to look up.
    package subscript(id: String) -> VerificationKey? { keys[Array(id.utf8)] }

    package var count: Int { keys.count }
}
