// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation

/// Apple's side of Sign in with Apple, with a key of the test's own.
struct AppleForAttacks: Sendable {
    private let tokens = AppleIdentityTokens(audience: "com.example.attacked")

    /// Writes the published keys, and returns the arguments with which `freshet serve` trusts them.
    func serving(in folder: URL) throws -> [String] { try tokens.options(in: folder) }

    /// The JSON of a request that signs in with, or links, the Apple account of `subject`.
    func body(_ server: RunningServer, subject: String) async throws -> [String: String] {
        let nonce = try await server.send("POST", "/v1/login/apple/nonce").string("nonce") ?? ""
        let digest = SHA256.hash(data: Data(nonce.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let token = try tokens.token(subject: subject, nonce: digest.joined())
        return ["identity_token": token, "nonce": nonce]
    }
}
