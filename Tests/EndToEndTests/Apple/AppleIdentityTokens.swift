// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

/// Signs identity tokens as Apple does, with a key of its own that a server is told of.
///
/// A server accepts each token once. Apple's differ, also those of the same user in the same second.
struct AppleIdentityTokens: Sendable {
    private let audience: String
    private let key = P256.Signing.PrivateKey()

    /// - Parameter audience: The ID of the app.
    init(audience: String) { self.audience = audience }

    /// Writes the published keys, and returns the options with which `freshet serve` trusts them.
    func options(in folder: URL) throws -> [String] {
        let point = key.publicKey.rawRepresentation
        let jwk = [
            "kty": "EC", "crv": "P-256", "kid": "a", "alg": "ES256", "use": "sig",
            "x": Base64URL.encode(point.prefix(32)), "y": Base64URL.encode(point.suffix(32)),
        ]
        let file = folder.appending(path: "apple.json")
        try JSONSerialization.data(withJSONObject: ["keys": [jwk]]).write(to: file)
        return ["--apple-audience", audience, "--apple-keys", file.path]
    }

    /// Returns a token of the user with the ID `subject` at Apple, for this app or for `otherAudience`.
    ///
    /// `email` is an address that Apple has verified, and `nonce` the digest of a server's nonce.
    func token(
        subject: String = "001234.abcd.0001",
        email: String? = nil,
        nonce: String? = nil,
        otherAudience: String? = nil
    ) throws -> String {
        // Rounded up, it could be issued in the server's future.
        let now = Date().timeIntervalSince1970.rounded(.down)
        var claims: [String: Any] = [
            "iss": "https://appleid.apple.com", "aud": otherAudience ?? audience, "sub": subject, "iat": now,
            "exp": now + 600, "jti": UUID().uuidString,
        ]
        claims["email"] = email
        claims["email_verified"] = email.map { _ in "true" }
        claims["nonce"] = nonce
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"a"}"#.utf8)
        let signed = try header + "." + Base64URL.encode(JSONSerialization.data(withJSONObject: claims))
        return signed + "." + Base64URL.encode(try key.signature(for: Data(signed.utf8)).rawRepresentation)
    }
}
