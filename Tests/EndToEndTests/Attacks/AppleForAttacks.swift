// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

/// Apple's side of Sign in with Apple, with a key of the test's own.
struct AppleForAttacks: Sendable {
    private static let app = "com.example.attacked"

    private let key = P256.Signing.PrivateKey()

    /// Writes the published keys, and returns the arguments with which `freshet serve` trusts them.
    func serving(in folder: URL) throws -> [String] {
        let point = key.publicKey.rawRepresentation
        let jwk = [
            "kty": "EC", "crv": "P-256", "kid": "a", "alg": "ES256", "use": "sig",
            "x": Base64URL.encode(point.prefix(32)), "y": Base64URL.encode(point.suffix(32)),
        ]
        let file = folder.appending(path: "apple.json")
        try JSONSerialization.data(withJSONObject: ["keys": [jwk]]).write(to: file)
        return ["--apple-keys", file.path, "--apple-audience", Self.app]
    }

    /// The JSON of a request that signs in with, or links, the Apple account of `subject`.
    func body(_ server: RunningServer, subject: String) async throws -> [String: String] {
        let nonce = try await server.send("POST", "/v1/login/apple/nonce").string("nonce") ?? ""
        let digest = SHA256.hash(data: Data(nonce.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let now = Date().timeIntervalSince1970.rounded(.down)
        let claims: [String: Any] = [
            "iss": "https://appleid.apple.com", "aud": Self.app, "sub": subject, "iat": now, "exp": now + 600,
            "nonce": digest.joined(), "jti": "\(UUID())",
        ]
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"a"}"#.utf8)
        let signed = try header + "." + Base64URL.encode(JSONSerialization.data(withJSONObject: claims))
        let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
        return ["identity_token": signed + "." + Base64URL.encode(signature), "nonce": nonce]
    }
}
