// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    public import Foundation
    import FreshetWire

    extension TokenVerifier {
        /// Creates a verifier for the access tokens of a Freshet server.
        ///
        /// The keys are fetched from the server's JWKS endpoint when the first token is verified, and stay in use for a
        /// day while the server is unreachable. With `client`, ``followEndedSessions(onFailure:)`` lets the verifier refuse tokens of
        /// ended sessions before the tokens expire.
        ///
        /// - Parameters:
        ///   - server: The server's URL: HTTPS, or HTTP on this machine.
        ///   - rules: The requirements of tokens.
        ///   - client: The credentials of this backend, a confidential client of the server, for the feed of ended sessions.
        ///   - fetch: Sends requests to the server, for example `AsyncHTTPClientFetch.send`.
        /// - Throws: ``IssuerFetchError/unsafeAddress`` for any other URL.
        public init(
            server: URL,
            rules: TokenRules,
            client: ClientCredentials? = nil,
            fetch: @escaping IssuerFetch
        ) throws(IssuerFetchError) {
            let now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
            let source: JWKSource
            do {
                source = try JWKSource(at: server.appending(path: NativePath.keySet), now: now, issuerFetch: fetch)
            } catch {
                throw .unsafeAddress
            }
            let revocations = client.map { client in
                RevocationList(
                    now: now,
                    transport: RevocationList.transport(server: server, client: client, fetch: fetch)
                )
            }
            self.init(rules, keys: .source(source), revocations: revocations, now: now)
        }

        /// Polls the server's feed of ended sessions until the task is cancelled.
        ///
        /// Returns immediately if the verifier was created without `client`. While the server is unreachable or refuses
        /// the credentials, tokens of sessions that end in the meantime are accepted until they expire.
        ///
        /// - Parameter onFailure: Called with the error when the feed begins to fail, not for each attempt.
        public func followEndedSessions(onFailure: @Sendable (any Error) -> Void) async {
            await revocations?.follow(onFailure: onFailure)
        }
    }
#endif
