// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

/// Signs identity tokens as Apple does, under a key of its own that a server is told of.
struct IdentityTokens: Sendable {
    static let app = "com.example.fiveapps"
    private let key = P256.Signing.PrivateKey()

    /// The options by which a server accepts them.
    func options(in folder: URL) throws -> [String] {
        let point = key.publicKey.rawRepresentation
        let jwk = [
            "kty": "EC", "crv": "P-256", "kid": "a", "alg": "ES256", "use": "sig",
            "x": Base64URL.encode(point.prefix(32)), "y": Base64URL.encode(point.suffix(32)),
        ]
        let file = folder.appending(path: "apple.json")
        try JSONSerialization.data(withJSONObject: ["keys": [jwk]]).write(to: file)
        return ["--apple-audience", Self.app, "--apple-keys", file.path]
    }

    func token(for email: String) throws -> String {
        // Rounded up, it could be issued in the server's future.
        let now = Date().timeIntervalSince1970.rounded(.down)
        let claims: [String: Any] = [
            "iss": "https://appleid.apple.com", "aud": Self.app, "sub": "001234.\(email)", "iat": now,
            "exp": now + 600, "email": email, "email_verified": "true",
            // Each works once, so no two of a second are alike.
            "jti": UUID().uuidString,
        ]
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"a"}"#.utf8)
        let signed = try header + "." + Base64URL.encode(JSONSerialization.data(withJSONObject: claims))
        return signed + "." + Base64URL.encode(try key.signature(for: Data(signed.utf8)).rawRepresentation)
    }
}
