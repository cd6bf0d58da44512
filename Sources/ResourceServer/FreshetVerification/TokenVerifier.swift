// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// Verifies an issuer's access tokens on a resource server.
    public struct TokenVerifier: Sendable {
        /// The source of the issuer's keys.
        package enum Keys: Sendable {
            case fixed(JWKSet)
            case source(JWKSource)
        }

        package let rules: TokenRules
        private let keys: Keys
        let revocations: RevocationList?
        private let now: @Sendable () -> Double

        /// Creates a verifier.
        ///
        /// - Parameters:
        ///   - rules: The requirements of tokens.
        ///   - keys: The issuer's keys.
        ///   - revocations: The ended sessions; without it, a token is valid until its `exp`.
        ///   - now: The current time, in seconds since 1970.
        package init(
            _ rules: TokenRules,
            keys: Keys,
            revocations: RevocationList? = nil,
            now: @escaping @Sendable () -> Double
        ) {
            self.rules = rules
            self.keys = keys
            self.revocations = revocations
            self.now = now
        }

        /// Verifies a token.
        ///
        /// - Throws: The first error found.
        public func verify(_ text: String) async throws(TokenVerificationError) -> VerifiedToken {
            let token = try CompactJWS(text, limit: rules.maximumLength)
            try rules.check(header: token)
            let key = try await key(token.keyID)
            try key.verify(token)
            let verified = try rules.claims(of: token.payload, now: now())
            if let revocations, let session = verified.session,
                await revocations.refuses(session, issuedAt: verified.issuedAt)
            {
                throw .sessionEnded
            }
            return verified
        }

        private func key(_ id: String) async throws(TokenVerificationError) -> VerificationKey {
            switch keys {
            case .source(let source): return try await source.key(id)
            case .fixed(let set):
                guard let key = set[id] else { throw .unknownKey }
                return key
            }
        }
    }
#endif
